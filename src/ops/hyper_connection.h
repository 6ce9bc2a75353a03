#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// DSV4_HC_COMB, DSV4_HC_PRE, DSV4_HC_POST: a residual connection made of several streams.
bool encode_hyper_connection(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
