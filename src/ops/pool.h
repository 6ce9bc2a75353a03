#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// POOL_1D and POOL_2D: the mean or the largest of a window.
bool encode_pool(encoder & e, const ggml_tensor * dst);

// POOL_2D_BACK: the gradient of what was pooled.
bool encode_pool_back(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
