#pragma once

#include "ops/step.h"

#include <span>
#include <vector>

namespace ggml_directx {

// For each step, whether a barrier must stand before it: true if it touches a range that a step since the last barrier
// wrote, or writes a range that such a step read. The first step never needs one.
std::vector<bool> find_barriers(std::span<const step> steps);

// Turns the order of the steps between every two barriers round, which changes no result if the barriers are right.
// `barriers` are those of `steps`, and stay valid.
void reverse_between_barriers(std::span<step> steps, const std::vector<bool> & barriers);

}  // namespace ggml_directx
