#pragma once

// What the ops with a recurrent state share: how their kernels hold a row of it (kernels/row_state.hlsli).

#include "ops/encoder.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ggml_directx {

// Rows of state that a group takes.
constexpr uint32_t row_state_rows = 32;

struct row_state_kernel {
    std::string name;
    uint32_t    tokens;  // at most, in a dispatch; the next one resumes
};

// The variant of `family` for rows of `size` elements: the fewest registers that hold one, or memory. Only what is in memory
// can be resumed, where a thread may not loop over so many tokens at once.
row_state_kernel choose_row_state_kernel(std::string_view family, int64_t size, uint64_t tokens, const encoder & e);

}  // namespace ggml_directx
