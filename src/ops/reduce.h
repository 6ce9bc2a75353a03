#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

bool encode_sum(encoder & e, const ggml_tensor * dst);

// The sum of n floats in scratch memory, divided: the last pass of losses.
bool encode_sum_of(encoder & e, const region & values, uint64_t n, const ggml_tensor * dst, float divisor);

// SUM_ROWS and MEAN.
bool encode_sum_rows(encoder & e, const ggml_tensor * dst);

bool encode_cumsum(encoder & e, const ggml_tensor * dst);
bool encode_argmax(encoder & e, const ggml_tensor * dst);
bool encode_count_equal(encoder & e, const ggml_tensor * dst);
bool encode_repeat_back(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
