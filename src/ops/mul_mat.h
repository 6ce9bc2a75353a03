#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// MUL_MAT
bool encode_mul_mat(encoder & e, const ggml_tensor * dst);

// MUL_MAT_ID
bool encode_mul_mat_id(encoder & e, const ggml_tensor * dst);

// OUT_PROD
bool encode_out_prod(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
