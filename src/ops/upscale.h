#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

bool encode_upscale(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
