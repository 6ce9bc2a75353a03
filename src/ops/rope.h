#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// ROPE and ROPE_BACK in all modes.
bool encode_rope(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
