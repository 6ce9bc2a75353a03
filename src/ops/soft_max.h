#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// SOFT_MAX with scale, mask, ALiBi and sinks.
bool encode_soft_max(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
