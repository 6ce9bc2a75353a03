#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// RMS_NORM, NORM, L2_NORM and GROUP_NORM.
bool encode_norm(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
