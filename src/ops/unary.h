#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// UNARY in all its operations, SQR, SQRT, LOG, SIN, COS, CLAMP, SCALE, LEAKY_RELU.
bool encode_unary(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
