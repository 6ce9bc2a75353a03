#pragma once

#include "catalogue.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hlsl {

// Compiled code by the hash of everything that went into it. Many processes may share the folder.
class shader_cache {
public:
    // An empty folder: nothing is kept.
    explicit shader_cache(std::filesystem::path folder);

    // `compiler` identifies the compiler itself, `options` its settings.
    static std::string key(const variant & v, const std::string & source_key, const std::string & compiler, const std::string & options);

    // Nothing if it is absent, or damaged on the disk.
    std::optional<std::vector<uint8_t>> load(const std::string & key) const;

    // A cache that cannot be written costs time, not correctness: returns false.
    bool store(const std::string & key, std::span<const uint8_t> code) const;

private:
    std::filesystem::path file(const std::string & key) const;

    std::filesystem::path folder_;
};

// GGML_DIRECTX_SHADER_CACHE, or the user's cache folder; empty if the environment names none.
std::filesystem::path default_cache_folder();

}  // namespace hlsl
