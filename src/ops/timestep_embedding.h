#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

bool encode_timestep_embedding(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
