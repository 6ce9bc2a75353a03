#include "ops/row_state.h"

#include <algorithm>

namespace ggml_directx {

namespace {

constexpr int64_t elements_per_quad = 16;  // four threads share a row

// Half of what older llvmpipes take (capabilities::max_rounds), to be safe.
constexpr int64_t max_rounds = 32768;

}  // namespace

row_state_kernel choose_row_state_kernel(std::string_view family, int64_t size, uint64_t tokens, const encoder & e) {
    const std::string prefix = std::string(family) + ".";
    if (size % 4 == 0 && e.can_loop(tokens)) {
        for (const int64_t quads : { 1, 4, 8, 16 }) {
            const std::string name = prefix + std::to_string(quads);
            if (size <= quads * elements_per_quad && e.has(name)) {
                return { name, UINT32_MAX };
            }
        }
    }
    const int64_t rounds = 3 * ((size + 3) / 4) + 1;  // two passes over the row and perhaps a copy of it
    return { prefix + "0", uint32_t(std::max<int64_t>(max_rounds / rounds, 1)) };
}

}  // namespace ggml_directx
