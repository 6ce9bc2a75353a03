#include "onnx/ops.h"

namespace ggml_directx::onnx {

namespace {

value sum_of_all(translator & t, value v) {
    const int64_t axes[] = { 0, 1, 2, 3 };
    return t.op("ReduceSum", { v, t.out.literal(element::i64, { 4 }, axes) });
}

bool is_float(const ggml_tensor * t) {
    return t->type == GGML_TYPE_F32 || t->type == GGML_TYPE_F16 || t->type == GGML_TYPE_BF16;
}

}  // namespace

void emit_reduce(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    require(src->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32, "types");
    const value x = t.read(src);
    switch (dst->op) {
        case GGML_OP_SUM_ROWS: t.write(dst, row_sum(t, x)); break;
        case GGML_OP_MEAN: t.write(dst, row_mean(t, x)); break;
        // ggml's own sum of rows that are not contiguous is another one
        case GGML_OP_SUM:
            require(ggml_is_contiguous_rows(src), "rows");
            t.write(dst, sum_of_all(t, x));
            break;
        default: throw unsupported("this reduction");
    }
}

void emit_argmax(translator & t, const ggml_tensor * dst) {
    require(dst->src[0]->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_I32, "types");
    const value at = t.out.add("ArgMax", { t.read(dst->src[0]) }, { { "axis", int64_t(-1) }, { "keepdims", int64_t(1) } }, element::i64);
    t.write(dst, t.reshape(t.cast(at, element::i32), translator::shape_of(dst)));
}

void emit_count_equal(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * a = dst->src[0];
    const ggml_tensor * b = dst->src[1];
    require(a->type == GGML_TYPE_I32 && b->type == GGML_TYPE_I32 && dst->type == GGML_TYPE_I64, "types");
    const value equal = t.out.add("Equal", { t.read(a), t.read(b) }, {}, element::boolean);
    t.write(dst, sum_of_all(t, t.cast(equal, element::i64)));
}

void emit_cumsum(translator & t, const ggml_tensor * dst) {
    require(dst->src[0]->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32, "types");
    t.write(dst, t.op("CumSum", { t.read(dst->src[0]), t.out.scalar_i64(3) }));
}

void emit_sort(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    require(is_float(src) && dst->type == GGML_TYPE_I32 && dst->ne[0] <= src->ne[0] && ggml_nrows(src) == ggml_nrows(dst), "types");
    const bool largest = dst->op == GGML_OP_TOP_K || dst->op_params[0] == GGML_SORT_ORDER_DESC;
    // two outputs, the values and where they were
    const value values = t.out.add("TopK", { t.read_f32(src), t.out.numbers({ dst->ne[0] }) },
                                   { { "axis", int64_t(-1) }, { "largest", int64_t(largest) }, { "sorted", int64_t(1) } }, element::i64,
                                   model::onnx_domain, 2);
    t.write(dst, t.cast({ values.id + 1 }, element::i32));
}

}  // namespace ggml_directx::onnx
