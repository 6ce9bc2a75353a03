#pragma once

#include "ops/step.h"

#include <span>
#include <vector>

namespace ggml_directx {

// For each step, whether a barrier must stand before it: true if it touches a range that a step since the last barrier
// wrote, or writes a range that such a step read. The first step never needs one.
std::vector<bool> find_barriers(std::span<const step> steps);

}  // namespace ggml_directx
