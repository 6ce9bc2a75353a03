#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// CONV_2D and CONV_3D, without the detour over IM2COL.
bool encode_conv(encoder & e, const ggml_tensor * dst);

bool encode_conv_2d_dw(encoder & e, const ggml_tensor * dst);

// CONV_TRANSPOSE_1D and CONV_TRANSPOSE_2D
bool encode_conv_transpose(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
