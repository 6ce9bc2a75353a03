#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// DIAG, DIAG_MASK_INF, DIAG_MASK_ZERO, TRI.
bool encode_mask(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
