#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// Gradients of ops that work row by row: RMS_NORM_BACK and SOFT_MAX_BACK (without ALiBi).
bool encode_row_back(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
