#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// IM2COL and IM2COL_3D: what each window of a convolution sees, as a row.
bool encode_im2col(encoder & e, const ggml_tensor * dst);

// IM2COL_BACK: the gradient of its image.
bool encode_im2col_back(encoder & e, const ggml_tensor * dst);

// COL2IM_1D: the signal that overlapping columns add up to.
bool encode_col2im_1d(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
