#pragma once

// Compiles a list of variants on several threads.

#include "catalogue.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace hlsl {

struct build_options {
    std::filesystem::path folder;  // the catalogue's
    std::filesystem::path base;    // messages name files relative to it
    std::filesystem::path fxc;
    std::filesystem::path dxc;
    std::filesystem::path cache;  // empty: none
    unsigned              jobs  = 1;
    bool                  quiet = false;
};

struct compiled {
    std::vector<uint8_t> code;
    std::string          error;        // the compiler's message; empty if all is well
    double               seconds = 0;  // processor time; 0 if it came out of the cache
};

struct build_result {
    std::vector<compiled>    variants;  // in the order of the list
    std::vector<std::string> files;     // every source that was read
    size_t                   from_cache = 0;
    size_t                   failed     = 0;
};

// Throws std::runtime_error where nothing can be compiled at all: a missing source, a missing compiler.
build_result compile_all(const std::vector<variant> & variants, const build_options & options);

}  // namespace hlsl
