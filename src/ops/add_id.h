#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// Adds to each row the one that its id picks.
bool encode_add_id(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
