#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// SSM_CONV: the short causal convolution of each channel in state-space models.
bool encode_ssm_conv(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
