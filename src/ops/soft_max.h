#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// SOFT_MAX with scale, mask, ALiBi and sinks. A row that is masked from end to end becomes not a number, as on the CPU.
bool encode_soft_max(encoder & e, const ggml_tensor * dst);

// The same, but the elements of a row that is masked from end to end become `blank`.
bool encode_soft_max_or(encoder & e, const ggml_tensor * dst, float blank);

}  // namespace ggml_directx
