#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// PAD, PAD_REFLECT_1D, ROLL and REPEAT: the source shifted within a larger destination, with zeros or itself around.
bool encode_pad(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
