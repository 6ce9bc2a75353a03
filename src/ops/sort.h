#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// ARGSORT and TOP_K for rows of any length. Equal elements keep their order; TOP_K's indices come sorted.
bool encode_sort(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
