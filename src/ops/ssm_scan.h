#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// SSM_SCAN: the selective scan of Mamba-1 and Mamba-2.
bool encode_ssm_scan(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
