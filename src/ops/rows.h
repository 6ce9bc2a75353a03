#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

bool encode_get_rows(encoder & e, const ggml_tensor * dst);
bool encode_get_rows_back(encoder & e, const ggml_tensor * dst);
bool encode_set_rows(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
