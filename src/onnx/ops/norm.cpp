#include "onnx/ops.h"

namespace ggml_directx::onnx {

namespace {

const int64_t last_axis[] = { -1 };

}  // namespace

value ones(translator & t, int64_t n) {
    const std::vector<float> data(size_t(n), 1.0f);
    return t.out.literal(element::f32, { n }, data.data());
}

value row_sum(translator & t, value v) {
    return t.op("ReduceSum", { v, t.out.literal(element::i64, { 1 }, last_axis) });
}

value row_mean(translator & t, value v) {
    return t.op("ReduceMean", { v, t.out.literal(element::i64, { 1 }, last_axis) });
}

value emit_norm_of(translator & t, const ggml_tensor * norm, value scale) {
    const float eps = float_param(norm, 0);
    const value x   = t.read(norm->src[0]);
    if (norm->op == GGML_OP_RMS_NORM) {
        return t.op("SimplifiedLayerNormalization", { x, scale }, { { "axis", int64_t(-1) }, { "epsilon", eps } });
    }
    return t.op("LayerNormalization", { x, scale }, { { "axis", int64_t(-1) }, { "epsilon", eps } });
}

void emit_norm(translator & t, const ggml_tensor * dst) {
    require(dst->src[0]->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32, "types");
    t.write(dst, emit_norm_of(t, dst, ones(t, dst->ne[0])));
}

void emit_l2_norm(translator & t, const ggml_tensor * dst) {
    require(dst->src[0]->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32, "types");
    const value x      = t.read(dst->src[0]);
    const value length = t.op("Sqrt", { row_sum(t, t.op("Mul", { x, x })) });
    t.write(dst, t.op("Div", { x, t.op("Max", { length, t.scalar(float_param(dst, 0)) }) }));
}

void emit_group_norm(translator & t, const ggml_tensor * dst) {
    const int32_t groups = dst->op_params[0];
    require(dst->src[0]->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32, "types");
    require(groups > 0 && dst->ne[2] % groups == 0, "groups of different sizes");
    const value x       = t.reshape(t.read(dst->src[0]), { dst->ne[3] * groups, ggml_nelements(dst) / (dst->ne[3] * groups) });
    const value centred = t.op("Sub", { x, row_mean(t, x) });
    const value power   = row_mean(t, t.op("Mul", { centred, centred }));
    const value norm    = t.op("Div", { centred, t.op("Sqrt", { t.op("Add", { power, t.scalar(float_param(dst, 1)) }) }) });
    t.write(dst, t.reshape(norm, translator::shape_of(dst)));
}

}  // namespace ggml_directx::onnx
