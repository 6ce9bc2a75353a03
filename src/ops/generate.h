#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// FILL and ARANGE.
bool encode_generate(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
