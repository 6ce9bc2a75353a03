#pragma once

// The kernel catalogue: which variants of which kernels exist, and for which tiers.

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hlsl {

// In the order of the archive's tier numbers, which are those of d3d12::tier.
inline constexpr std::string_view tier_names[]  = { "sm51", "sm60", "sm66" };
inline constexpr int              tier_values[] = { 51, 60, 66 };  // TIER as the shaders see it
inline constexpr int              tier_count    = 3;

// The number of the tier, or -1.
int find_tier(std::string_view name);

struct variant {
    std::string name;  // "family.value1.value2"
    std::string family;
    std::string source;  // relative to the catalogue's folder
    std::string entry;
    int         tier   = 0;
    bool        strict = false;  // IEEE strictness: no algebra that changes infinities and NaNs

    std::vector<std::pair<std::string, std::string>> defines;  // TIER is among them
};

// Expands every family into its variants, sorted by tier, then family, then name. Throws std::runtime_error, with the
// place in the catalogue, for anything it does not understand: a misspelt key must not quietly drop kernels.
std::vector<variant> parse_catalogue(std::string_view text);

std::vector<variant> read_catalogue(const std::filesystem::path & file);

}  // namespace hlsl
