#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// SOLVE_TRI: a lower triangular matrix divided into the right-hand sides.
bool encode_solve_tri(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
