#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hlsl {

// FIPS 180-4. Names the entries of the cache.
class sha256 {
public:
    void add(std::span<const uint8_t> bytes);

    // With its length, so that neighbouring fields cannot run into each other.
    void add_field(std::string_view text);

    std::string hex();

private:
    void block(const uint8_t * p);

    std::array<uint32_t, 8> state_ = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    std::array<uint8_t, 64> rest_  = {};
    uint64_t                size_  = 0;
};

}  // namespace hlsl
