#pragma once

#include "ggml/device_context.h"

#include "ggml-backend-impl.h"

namespace ggml_directx {

// The ggml device over a context, which it does not own.
ggml_backend_device make_device(ggml_backend_reg_t reg, device_context & ctx);

}  // namespace ggml_directx
