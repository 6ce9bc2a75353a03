#include "onnx/ops.h"

#include <array>

namespace ggml_directx::onnx {

namespace {

struct entry {
    ggml_op op;
    emitter emit;
};

// clang-format off: a table
constexpr entry entries[] = {
    { GGML_OP_ACC, emit_set },
    { GGML_OP_ADD, emit_binary },
    { GGML_OP_ADD1, emit_binary },
    { GGML_OP_ADD_ID, emit_add_id },
    { GGML_OP_ARANGE, emit_generate },
    { GGML_OP_ARGMAX, emit_argmax },
    { GGML_OP_ARGSORT, emit_sort },
    { GGML_OP_CLAMP, emit_unary },
    { GGML_OP_CONCAT, emit_concat },
    { GGML_OP_CONT, emit_copy },
    { GGML_OP_CONV_2D, emit_conv },
    { GGML_OP_CONV_2D_DW, emit_conv },
    { GGML_OP_CONV_3D, emit_conv },
    { GGML_OP_CONV_TRANSPOSE_1D, emit_conv_transpose },
    { GGML_OP_CONV_TRANSPOSE_2D, emit_conv_transpose },
    { GGML_OP_COS, emit_unary },
    { GGML_OP_COUNT_EQUAL, emit_count_equal },
    { GGML_OP_CPY, emit_copy },
    { GGML_OP_CROSS_ENTROPY_LOSS, emit_cross_entropy_loss },
    { GGML_OP_CROSS_ENTROPY_LOSS_BACK, emit_cross_entropy_loss_back },
    { GGML_OP_CUMSUM, emit_cumsum },
    { GGML_OP_DIAG, emit_mask },
    { GGML_OP_DIAG_MASK_INF, emit_mask },
    { GGML_OP_DIAG_MASK_ZERO, emit_mask },
    { GGML_OP_DIV, emit_binary },
    { GGML_OP_DUP, emit_copy },
    { GGML_OP_FILL, emit_generate },
    { GGML_OP_FLASH_ATTN_EXT, emit_flash_attn_ext },
    { GGML_OP_GET_ROWS, emit_get_rows },
    { GGML_OP_GLU, emit_glu },
    { GGML_OP_GROUP_NORM, emit_group_norm },
    { GGML_OP_IM2COL, emit_im2col },
    { GGML_OP_L2_NORM, emit_l2_norm },
    { GGML_OP_LEAKY_RELU, emit_unary },
    { GGML_OP_LOG, emit_unary },
    { GGML_OP_MEAN, emit_reduce },
    { GGML_OP_MUL, emit_binary },
    { GGML_OP_MUL_MAT, emit_mul_mat },
    { GGML_OP_MUL_MAT_ID, emit_mul_mat_id },
    { GGML_OP_NORM, emit_norm },
    { GGML_OP_OPT_STEP_SGD, emit_opt_step_sgd },
    { GGML_OP_OUT_PROD, emit_out_prod },
    { GGML_OP_PAD, emit_pad },
    { GGML_OP_PAD_REFLECT_1D, emit_pad_reflect },
    { GGML_OP_POOL_1D, emit_pool },
    { GGML_OP_POOL_2D, emit_pool },
    { GGML_OP_REPEAT, emit_repeat },
    { GGML_OP_REPEAT_BACK, emit_repeat_back },
    { GGML_OP_RMS_NORM, emit_norm },
    { GGML_OP_RMS_NORM_BACK, emit_rms_norm_back },
    { GGML_OP_ROLL, emit_roll },
    { GGML_OP_ROPE, emit_rope },
    { GGML_OP_ROPE_BACK, emit_rope },
    { GGML_OP_SCALE, emit_unary },
    { GGML_OP_SET, emit_set },
    { GGML_OP_SET_ROWS, emit_set_rows },
    { GGML_OP_SILU_BACK, emit_silu_back },
    { GGML_OP_SIN, emit_unary },
    { GGML_OP_SOFT_MAX, emit_soft_max },
    { GGML_OP_SOFT_MAX_BACK, emit_soft_max_back },
    { GGML_OP_SQR, emit_unary },
    { GGML_OP_SQRT, emit_unary },
    { GGML_OP_SSM_CONV, emit_ssm_conv },
    { GGML_OP_SUB, emit_binary },
    { GGML_OP_SUM, emit_reduce },
    { GGML_OP_SUM_ROWS, emit_reduce },
    { GGML_OP_TIMESTEP_EMBEDDING, emit_timestep_embedding },
    { GGML_OP_TOP_K, emit_sort },
    { GGML_OP_TRI, emit_mask },
    { GGML_OP_UNARY, emit_unary },
    { GGML_OP_UPSCALE, emit_upscale },
};
// clang-format on

constexpr auto by_op = [] {
    std::array<emitter, GGML_OP_COUNT> table{};
    for (const entry & e : entries) {
        table[e.op] = e.emit;
    }
    return table;
}();

}  // namespace

emitter find_emitter(const ggml_tensor * node) {
    return node->op >= 0 && node->op < GGML_OP_COUNT ? by_op[node->op] : nullptr;
}

}  // namespace ggml_directx::onnx
