#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// ADD, ADD1, SUB, MUL, DIV; src1 is repeated over src0.
bool encode_binary(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
