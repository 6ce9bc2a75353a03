#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// GLU in all its operations, with gate and up in two tensors or in the halves of one's rows.
bool encode_glu(encoder & e, const ggml_tensor * dst);

bool encode_silu_back(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
