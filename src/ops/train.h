#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// What training needs beside the gradients of ordinary ops: its loss, and the optimizers.
bool encode_cross_entropy_loss(encoder & e, const ggml_tensor * dst);
bool encode_cross_entropy_loss_back(encoder & e, const ggml_tensor * dst);

// OPT_STEP_ADAMW and OPT_STEP_SGD.
bool encode_opt_step(encoder & e, const ggml_tensor * dst);

}  // namespace ggml_directx
