#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// A tensor put into a part of another: each part is a copy (or a sum) of its own.
bool encode_concat(encoder & e, const ggml_tensor * dst);
bool encode_set(encoder & e, const ggml_tensor * dst);
bool encode_acc(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
