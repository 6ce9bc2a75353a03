#include "cache.h"

#include "files.h"
#include "sha256.h"

#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace hlsl {

namespace fs = std::filesystem;

namespace {

// Each file begins with the hash of the rest.
constexpr size_t hash_size = 64;

std::string hash_of(std::span<const uint8_t> bytes) {
    sha256 h;
    h.add(bytes);
    return h.hex();
}

}  // namespace

shader_cache::shader_cache(fs::path folder) : folder_(std::move(folder)) {}

std::string shader_cache::key(const variant & v, const std::string & source_key, const std::string & compiler,
                              const std::string & options) {
    sha256 h;
    h.add_field("ggml-directx shader 1");
    h.add_field(source_key);
    h.add_field(v.entry);
    for (const auto & d : v.defines) {
        h.add_field(d.first);
        h.add_field(d.second);
    }
    h.add_field(compiler);
    h.add_field(options);
    return h.hex();
}

fs::path shader_cache::file(const std::string & key) const {
    return folder_ / key.substr(0, 2) / key.substr(2);
}

std::optional<std::vector<uint8_t>> shader_cache::load(const std::string & key) const {
    std::error_code ec;
    if (folder_.empty() || !fs::exists(file(key), ec)) {
        return std::nullopt;
    }
    try {
        std::vector<uint8_t> bytes = read_bytes(file(key));
        if (bytes.size() > hash_size) {
            const std::string stated(bytes.begin(), bytes.begin() + hash_size);
            bytes.erase(bytes.begin(), bytes.begin() + hash_size);
            if (hash_of(bytes) == stated) {
                return bytes;
            }
        }
    } catch (const std::runtime_error &) {
        // as if it were absent: it is compiled again
    }
    return std::nullopt;
}

bool shader_cache::store(const std::string & key, std::span<const uint8_t> code) const {
    if (folder_.empty()) {
        return true;
    }
    try {
        const std::string    hash = hash_of(code);
        std::vector<uint8_t> bytes(hash.begin(), hash.end());
        bytes.insert(bytes.end(), code.begin(), code.end());
        write_atomically(file(key), bytes);
        return true;
    } catch (const std::exception &) {
        return false;
    }
}

fs::path default_cache_folder() {
    if (const char * folder = std::getenv("GGML_DIRECTX_SHADER_CACHE"); folder && *folder) {
        return folder;
    }
    if (const char * folder = std::getenv("XDG_CACHE_HOME"); folder && *folder) {
        return fs::path(folder) / "ggml-directx/shaders";
    }
    if (const char * home = std::getenv("HOME"); home && *home) {
        return fs::path(home) / ".cache/ggml-directx/shaders";
    }
    if (const char * folder = std::getenv("LOCALAPPDATA"); folder && *folder) {
        return fs::path(folder) / "ggml-directx/shaders";
    }
    return {};
}

}  // namespace hlsl
