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
    { GGML_OP_ADD, emit_binary },
    { GGML_OP_ADD1, emit_binary },
    { GGML_OP_ADD_ID, emit_add_id },
    { GGML_OP_CLAMP, emit_unary },
    { GGML_OP_CONT, emit_copy },
    { GGML_OP_COS, emit_unary },
    { GGML_OP_CPY, emit_copy },
    { GGML_OP_DIV, emit_binary },
    { GGML_OP_DUP, emit_copy },
    { GGML_OP_FLASH_ATTN_EXT, emit_flash_attn_ext },
    { GGML_OP_GET_ROWS, emit_get_rows },
    { GGML_OP_GLU, emit_glu },
    { GGML_OP_GROUP_NORM, emit_group_norm },
    { GGML_OP_L2_NORM, emit_l2_norm },
    { GGML_OP_LEAKY_RELU, emit_unary },
    { GGML_OP_LOG, emit_unary },
    { GGML_OP_MUL, emit_binary },
    { GGML_OP_MUL_MAT, emit_mul_mat },
    { GGML_OP_MUL_MAT_ID, emit_mul_mat_id },
    { GGML_OP_NORM, emit_norm },
    { GGML_OP_OUT_PROD, emit_out_prod },
    { GGML_OP_RMS_NORM, emit_norm },
    { GGML_OP_ROPE, emit_rope },
    { GGML_OP_ROPE_BACK, emit_rope },
    { GGML_OP_SCALE, emit_unary },
    { GGML_OP_SET_ROWS, emit_set_rows },
    { GGML_OP_SIN, emit_unary },
    { GGML_OP_SOFT_MAX, emit_soft_max },
    { GGML_OP_SQR, emit_unary },
    { GGML_OP_SQRT, emit_unary },
    { GGML_OP_SUB, emit_binary },
    { GGML_OP_UNARY, emit_unary },
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
