#pragma once

// Parts of tensors, for encoders that take more dispatches than one.

#include "ops/encoder.h"

#include <cstdint>
#include <vector>

namespace ggml_directx {

// `count` elements of dimension `dim` from element `first`: a tensor like any other, to be bound.
ggml_tensor slice_of(const ggml_tensor * tensor, int dim, int64_t first, int64_t count);

// How many elements of dimension `dim` a kernel can address at once, whatever is in the other dimensions: all of them, or
// fewer; 0: not even one.
int64_t reach_of(const encoder & e, const ggml_tensor * tensor, int dim);

struct window {
    ggml_tensor tensor;
    int64_t     first;  // element of the dimension
};

// A tensor that kernels pick from by index, in windows that they can address, one after the other; most often one. None where
// kernels cannot reach a single element of dimension `dim`.
std::vector<window> windows_of(const encoder & e, const ggml_tensor * tensor, int dim);

}  // namespace ggml_directx
