#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// GATED_LINEAR_ATTN, RWKV_WKV6, RWKV_WKV7
bool encode_linear_attention(encoder & e, const ggml_tensor * dst);

bool encode_gated_delta_net(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
