#include "ops/op_table.h"

#include "ops/add_id.h"
#include "ops/binary.h"
#include "ops/conv.h"
#include "ops/copy.h"
#include "ops/flash_attn.h"
#include "ops/generate.h"
#include "ops/glu.h"
#include "ops/hyper_connection.h"
#include "ops/im2col.h"
#include "ops/lightning_indexer.h"
#include "ops/linear_attention.h"
#include "ops/mask.h"
#include "ops/mul_mat.h"
#include "ops/norm.h"
#include "ops/pad.h"
#include "ops/place.h"
#include "ops/pool.h"
#include "ops/reduce.h"
#include "ops/rope.h"
#include "ops/row_back.h"
#include "ops/rows.h"
#include "ops/soft_max.h"
#include "ops/solve_tri.h"
#include "ops/split.h"
#include "ops/sort.h"
#include "ops/ssm_conv.h"
#include "ops/ssm_scan.h"
#include "ops/timestep_embedding.h"
#include "ops/train.h"
#include "ops/unary.h"
#include "ops/upscale.h"

#include <array>

namespace ggml_directx {

namespace {

struct entry {
    ggml_op   op;
    encode_fn encode;
};

// clang-format off: a table
constexpr entry entries[] = {
    { GGML_OP_ACC, encode_acc },
    { GGML_OP_ADD, encode_binary },
    { GGML_OP_ADD1, encode_binary },
    { GGML_OP_ADD_ID, encode_add_id },
    { GGML_OP_ARANGE, encode_generate },
    { GGML_OP_ARGMAX, encode_argmax },
    { GGML_OP_ARGSORT, encode_sort },
    { GGML_OP_CLAMP, encode_unary },
    { GGML_OP_COL2IM_1D, encode_col2im_1d },
    { GGML_OP_CONCAT, encode_concat },
    { GGML_OP_CONT, encode_copy },
    { GGML_OP_CONV_2D, encode_conv },
    { GGML_OP_CONV_2D_DW, encode_conv_2d_dw },
    { GGML_OP_CONV_3D, encode_conv },
    { GGML_OP_CONV_TRANSPOSE_1D, encode_conv_transpose },
    { GGML_OP_CONV_TRANSPOSE_2D, encode_conv_transpose },
    { GGML_OP_COS, encode_unary },
    { GGML_OP_COUNT_EQUAL, encode_count_equal },
    { GGML_OP_CPY, encode_copy },
    { GGML_OP_CROSS_ENTROPY_LOSS, encode_cross_entropy_loss },
    { GGML_OP_CROSS_ENTROPY_LOSS_BACK, encode_cross_entropy_loss_back },
    { GGML_OP_CUMSUM, encode_cumsum },
    { GGML_OP_DIAG, encode_mask },
    { GGML_OP_DIAG_MASK_INF, encode_mask },
    { GGML_OP_DIAG_MASK_ZERO, encode_mask },
    { GGML_OP_DIV, encode_binary },
    { GGML_OP_DSV4_HC_COMB, encode_hyper_connection },
    { GGML_OP_DSV4_HC_POST, encode_hyper_connection },
    { GGML_OP_DSV4_HC_PRE, encode_hyper_connection },
    { GGML_OP_DUP, encode_copy },
    { GGML_OP_FILL, encode_generate },
    { GGML_OP_FLASH_ATTN_EXT, encode_flash_attn_ext },
    { GGML_OP_GATED_DELTA_NET, encode_gated_delta_net },
    { GGML_OP_GATED_LINEAR_ATTN, encode_linear_attention },
    { GGML_OP_GET_ROWS, encode_get_rows },
    { GGML_OP_GET_ROWS_BACK, encode_get_rows_back },
    { GGML_OP_GLU, encode_glu },
    { GGML_OP_GROUP_NORM, encode_norm },
    { GGML_OP_IM2COL, encode_im2col },
    { GGML_OP_IM2COL_3D, encode_im2col },
    { GGML_OP_IM2COL_BACK, encode_im2col_back },
    { GGML_OP_L2_NORM, encode_norm },
    { GGML_OP_LEAKY_RELU, encode_unary },
    { GGML_OP_LIGHTNING_INDEXER, encode_lightning_indexer },
    { GGML_OP_LOG, encode_unary },
    { GGML_OP_MEAN, encode_sum_rows },
    { GGML_OP_MUL, encode_binary },
    { GGML_OP_MUL_MAT, encode_mul_mat },
    { GGML_OP_MUL_MAT_ID, encode_mul_mat_id },
    { GGML_OP_NORM, encode_norm },
    { GGML_OP_OPT_STEP_ADAMW, encode_opt_step },
    { GGML_OP_OPT_STEP_SGD, encode_opt_step },
    { GGML_OP_OUT_PROD, encode_out_prod },
    { GGML_OP_PAD, encode_pad },
    { GGML_OP_PAD_REFLECT_1D, encode_pad },
    { GGML_OP_POOL_1D, encode_pool },
    { GGML_OP_POOL_2D, encode_pool },
    { GGML_OP_POOL_2D_BACK, encode_pool_back },
    { GGML_OP_REPEAT, encode_pad },
    { GGML_OP_REPEAT_BACK, encode_repeat_back },
    { GGML_OP_RMS_NORM, encode_norm },
    { GGML_OP_RMS_NORM_BACK, encode_row_back },
    { GGML_OP_ROLL, encode_pad },
    { GGML_OP_ROPE, encode_rope },
    { GGML_OP_ROPE_BACK, encode_rope },
    { GGML_OP_RWKV_WKV6, encode_linear_attention },
    { GGML_OP_RWKV_WKV7, encode_linear_attention },
    { GGML_OP_SCALE, encode_unary },
    { GGML_OP_SET, encode_set },
    { GGML_OP_SET_ROWS, encode_set_rows },
    { GGML_OP_SILU_BACK, encode_silu_back },
    { GGML_OP_SIN, encode_unary },
    { GGML_OP_SOFT_MAX, encode_soft_max },
    { GGML_OP_SOFT_MAX_BACK, encode_row_back },
    { GGML_OP_SOLVE_TRI, encode_solve_tri },
    { GGML_OP_SQR, encode_unary },
    { GGML_OP_SQRT, encode_unary },
    { GGML_OP_SSM_CONV, encode_ssm_conv },
    { GGML_OP_SSM_SCAN, encode_ssm_scan },
    { GGML_OP_SUB, encode_binary },
    { GGML_OP_SUM, encode_sum },
    { GGML_OP_SUM_ROWS, encode_sum_rows },
    { GGML_OP_TIMESTEP_EMBEDDING, encode_timestep_embedding },
    { GGML_OP_TOP_K, encode_sort },
    { GGML_OP_TRI, encode_mask },
    { GGML_OP_UNARY, encode_unary },
    { GGML_OP_UPSCALE, encode_upscale },
};
// clang-format on

constexpr auto by_op = [] {
    std::array<encode_fn, GGML_OP_COUNT> table{};
    for (const entry & e : entries) {
        table[e.op] = e.encode;
    }
    return table;
}();

}  // namespace

encode_fn find_encode(ggml_op op) {
    return op >= 0 && op < GGML_OP_COUNT ? by_op[op] : nullptr;
}

bool is_view_op(ggml_op op) {
    return op == GGML_OP_NONE || op == GGML_OP_RESHAPE || op == GGML_OP_VIEW || op == GGML_OP_PERMUTE || op == GGML_OP_TRANSPOSE;
}

bool supports(const kernel_library & library, const d3d12::capabilities & caps, const ggml_tensor * op) {
    if (is_view_op(op->op)) {
        return true;
    }
    if (ggml_is_empty(op)) {
        return find_encode(op->op) != nullptr;  // nothing to compute, and encoders are not asked about it
    }
    encoder e(library, caps, nullptr);
    return encode_node(e, op);
}

}  // namespace ggml_directx
