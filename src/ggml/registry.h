#pragma once

#include "ggml-backend-impl.h"

namespace ggml_directx {

// The backend's registry entry, its devices found on the first call. Never null; without usable devices it has none,
// and the log says why in one line.
ggml_backend_reg_t registry();

}  // namespace ggml_directx
