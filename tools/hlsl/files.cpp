#include "files.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace hlsl {

namespace fs = std::filesystem;

namespace {

template <typename T> T read_as(const fs::path & file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        throw std::runtime_error(file.generic_string() + ": cannot be opened");
    }
    T bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (in.bad()) {
        throw std::runtime_error(file.generic_string() + ": cannot be read");
    }
    return bytes;
}

std::string unique_suffix() {
    static const uint64_t        process = (uint64_t(std::random_device()()) << 32) | std::random_device()();
    static std::atomic<uint64_t> count   = 0;
    return ".tmp" + std::to_string(process) + "-" + std::to_string(count++);
}

}  // namespace

std::string read_text(const fs::path & file) {
    return read_as<std::string>(file);
}

std::vector<uint8_t> read_bytes(const fs::path & file) {
    return read_as<std::vector<uint8_t>>(file);
}

void write_atomically(const fs::path & file, std::span<const uint8_t> bytes) {
    if (file.has_parent_path()) {
        fs::create_directories(file.parent_path());
    }
    fs::path temporary = file;
    temporary += unique_suffix();
    {
        std::ofstream out(temporary, std::ios::binary);
        out.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
        out.close();
        if (!out) {
            std::error_code ignored;
            fs::remove(temporary, ignored);
            throw std::runtime_error(temporary.generic_string() + ": cannot be written");
        }
    }
    // Windows refuses to replace a file that somebody has open just now.
    std::error_code ec;
    for (int attempt = 0; attempt < 20; attempt++) {
        fs::rename(temporary, file, ec);
        if (!ec) {
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw std::runtime_error(file.generic_string() + ": cannot be replaced (" + ec.message() + ")");
}

void write_atomically(const fs::path & file, const std::string & text) {
    write_atomically(file, std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
}

}  // namespace hlsl
