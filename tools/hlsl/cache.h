#pragma once

#include "catalogue.h"
#include "source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hlsl {

// Compiled shaders by content: the key covers the compilers, the options, the defines and every file that the source
// includes. Safe to share between processes: entries appear whole, by renaming.
class shader_cache {
public:
    // `compilers`: compiler::identity(). An empty folder switches the cache off.
    shader_cache(std::string folder, std::string compilers) : folder_(std::move(folder)), compilers_(std::move(compilers)) {}

    std::string                         key(const variant & v, source_tree & sources) const;
    std::optional<std::vector<uint8_t>> load(const std::string & key) const;
    void                                store(const std::string & key, const std::vector<uint8_t> & code) const;

private:
    std::string folder_;
    std::string compilers_;
};

}  // namespace hlsl
