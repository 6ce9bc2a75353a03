#pragma once

// Translations of ops. An emitter appends a node's ONNX nodes and throws unsupported for what it has no translation of:
// supports_op asks the same code.

#include "onnx/translator.h"

namespace ggml_directx::onnx {

using emitter = void (*)(translator & t, const ggml_tensor * dst);

// Null for an op that has no translation.
emitter find_emitter(const ggml_tensor * node);

// ops/elementwise.cpp
void emit_unary(translator & t, const ggml_tensor * dst);
void emit_binary(translator & t, const ggml_tensor * dst);
void emit_add_id(translator & t, const ggml_tensor * dst);
void emit_glu(translator & t, const ggml_tensor * dst);
void emit_copy(translator & t, const ggml_tensor * dst);

// ops/norm.cpp
void emit_norm(translator & t, const ggml_tensor * dst);
void emit_l2_norm(translator & t, const ggml_tensor * dst);
void emit_group_norm(translator & t, const ggml_tensor * dst);

// ops/matmul.cpp
void emit_mul_mat(translator & t, const ggml_tensor * dst);
void emit_mul_mat_id(translator & t, const ggml_tensor * dst);
void emit_out_prod(translator & t, const ggml_tensor * dst);

// ops/attention.cpp
void emit_soft_max(translator & t, const ggml_tensor * dst);
void emit_flash_attn_ext(translator & t, const ggml_tensor * dst);

// ops/rope.cpp
void emit_rope(translator & t, const ggml_tensor * dst);

// ops/rows.cpp
void emit_get_rows(translator & t, const ggml_tensor * dst);
void emit_set_rows(translator & t, const ggml_tensor * dst);

// ops/reduce.cpp
void emit_reduce(translator & t, const ggml_tensor * dst);
void emit_argmax(translator & t, const ggml_tensor * dst);
void emit_count_equal(translator & t, const ggml_tensor * dst);
void emit_cumsum(translator & t, const ggml_tensor * dst);
void emit_sort(translator & t, const ggml_tensor * dst);

// ops/arrange.cpp
void emit_repeat(translator & t, const ggml_tensor * dst);
void emit_repeat_back(translator & t, const ggml_tensor * dst);
void emit_concat(translator & t, const ggml_tensor * dst);
void emit_pad(translator & t, const ggml_tensor * dst);
void emit_pad_reflect(translator & t, const ggml_tensor * dst);
void emit_roll(translator & t, const ggml_tensor * dst);
void emit_set(translator & t, const ggml_tensor * dst);
void emit_generate(translator & t, const ggml_tensor * dst);
void emit_mask(translator & t, const ggml_tensor * dst);

// ops/convolution.cpp
void emit_conv(translator & t, const ggml_tensor * dst);
void emit_conv_transpose(translator & t, const ggml_tensor * dst);
void emit_im2col(translator & t, const ggml_tensor * dst);
void emit_pool(translator & t, const ggml_tensor * dst);
void emit_upscale(translator & t, const ggml_tensor * dst);
void emit_ssm_conv(translator & t, const ggml_tensor * dst);
void emit_timestep_embedding(translator & t, const ggml_tensor * dst);

// ops/train.cpp
void emit_silu_back(translator & t, const ggml_tensor * dst);
void emit_rms_norm_back(translator & t, const ggml_tensor * dst);
void emit_soft_max_back(translator & t, const ggml_tensor * dst);
void emit_cross_entropy_loss(translator & t, const ggml_tensor * dst);
void emit_cross_entropy_loss_back(translator & t, const ggml_tensor * dst);
void emit_opt_step_sgd(translator & t, const ggml_tensor * dst);

// What several use:

// A value tiled to the shape of a tensor, as ggml repeats it; as it is where ONNX broadcasts it to that shape.
value broadcast(translator & t, value v, const ggml_tensor * from, const ggml_tensor * to);
// Reductions of the last dimension, which stays as 1.
value row_sum(translator & t, value v);
value row_mean(translator & t, value v);
// What NORM or RMS_NORM computes, times a scale of [ne0].
value emit_norm_of(translator & t, const ggml_tensor * norm, value scale);
// f32 ones, [n].
value ones(translator & t, int64_t n);

}  // namespace ggml_directx::onnx
