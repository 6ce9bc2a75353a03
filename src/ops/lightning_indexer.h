#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// LIGHTNING_INDEXER: scores by which sparse attention picks columns of its cache.
bool encode_lightning_indexer(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
