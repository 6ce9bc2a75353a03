#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// MUL_MAT
bool encode_mul_mat(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
