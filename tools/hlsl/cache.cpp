#include "cache.h"

#include <windows.h>
// after windows.h
#include <bcrypt.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace hlsl {

namespace {

std::string sha256(const std::string & text) {
    BCRYPT_ALG_HANDLE algorithm = nullptr;
    UCHAR             digest[32];
    if (BCryptOpenAlgorithmProvider(&algorithm, BCRYPT_SHA256_ALGORITHM, nullptr, 0) < 0) {
        throw std::runtime_error("no SHA-256 in this Windows");
    }
    BCRYPT_HASH_HANDLE hash = nullptr;
    BCryptCreateHash(algorithm, &hash, nullptr, 0, nullptr, 0, 0);
    BCryptHashData(hash, reinterpret_cast<UCHAR *>(const_cast<char *>(text.data())), ULONG(text.size()), 0);
    BCryptFinishHash(hash, digest, sizeof(digest), 0);
    BCryptDestroyHash(hash);
    BCryptCloseAlgorithmProvider(algorithm, 0);
    std::string hex;
    for (const UCHAR byte : digest) {
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 15];
    }
    return hex;
}

}  // namespace

std::string shader_cache::key(const variant & v, source_tree & sources) const {
    std::string text = compilers_ + "\n" + tier_names[int(v.level)] + " " + v.entry + "\n";
    for (const auto & [name, value] : v.defines) {
        text += name + "=" + value + "\n";
    }
    for (const std::string & file : sources.closure(sources.root() + "/" + v.source)) {
        const std::string & content = *sources.read(file);
        text += std::to_string(content.size()) + "\n" + content;
    }
    return sha256(text);
}

std::optional<std::vector<uint8_t>> shader_cache::load(const std::string & key) const {
    std::ifstream file(folder_ + "/" + key, std::ios::binary);
    if (folder_.empty() || !file) {
        return std::nullopt;
    }
    return std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {});
}

void shader_cache::store(const std::string & key, const std::vector<uint8_t> & code) const {
    if (folder_.empty()) {
        return;
    }
    // Nobody is told if the cache cannot be written: it only costs time.
    std::error_code ignored;
    std::filesystem::create_directories(folder_, ignored);
    const std::string part = folder_ + "/" + key + "." + std::to_string(GetCurrentProcessId()) + "." + std::to_string(GetCurrentThreadId());
    std::ofstream     file(part, std::ios::binary);
    file.write(reinterpret_cast<const char *>(code.data()), std::streamsize(code.size()));
    file.close();
    if (file) {
        std::filesystem::rename(part, folder_ + "/" + key, ignored);
    }
    std::filesystem::remove(part, ignored);
}

}  // namespace hlsl
