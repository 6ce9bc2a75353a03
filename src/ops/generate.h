#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// FILL and ARANGE.
bool encode_generate(encoder & e, const ggml_tensor * dst);

// `value` in every element, as a part of another op: of type f32 or f16.
bool encode_fill(encoder & e, const ggml_tensor * dst, float value);

}  // namespace ggml_directx
