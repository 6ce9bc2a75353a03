#include "onnx/ops.h"

namespace ggml_directx::onnx {

namespace {

void require_floats(const ggml_tensor * dst) {
    require(dst->type == GGML_TYPE_F32 && dst->src[0]->type == GGML_TYPE_F32 && dst->src[1]->type == GGML_TYPE_F32, "types");
}

value product(translator & t, value a, value b) {
    return t.op("Mul", { a, b });
}

}  // namespace

void emit_silu_back(translator & t, const ggml_tensor * dst) {
    require_floats(dst);
    const value dy = t.read(dst->src[0]);
    const value x  = t.read(dst->src[1]);
    const value s  = t.op("Sigmoid", { x });
    const value up = t.op("Add", { product(t, x, t.op("Sub", { t.scalar(1.0f), s })), t.scalar(1.0f) });
    t.write(dst, product(t, dy, product(t, s, up)));
}

// dx = (dy - x sum(x dy) / (sum(x x) + n eps)) / sqrt(mean(x x) + eps)
void emit_rms_norm_back(translator & t, const ggml_tensor * dst) {
    require_floats(dst);
    const float eps   = float_param(dst, 0);
    const auto  n     = float(dst->ne[0]);
    const value dy    = t.read(dst->src[0]);
    const value x     = t.read(dst->src[1]);
    const value power = t.op("Add", { row_sum(t, product(t, x, x)), t.scalar(n * eps) });
    const value along = t.op("Div", { row_sum(t, product(t, x, dy)), power });
    const value root  = t.op("Sqrt", { t.op("Div", { power, t.scalar(n) }) });
    t.write(dst, t.op("Div", { t.op("Sub", { dy, product(t, x, along) }), root }));
}

// dx = (dy - sum(dy y)) y scale
void emit_soft_max_back(translator & t, const ggml_tensor * dst) {
    require_floats(dst);
    require(float_param(dst, 1) == 0.0f, "slopes");
    const value dy = t.read(dst->src[0]);
    const value y  = t.read(dst->src[1]);
    const value v  = product(t, t.op("Sub", { dy, row_sum(t, product(t, dy, y)) }), y);
    t.write(dst, product(t, v, t.scalar(float_param(dst, 0))));
}

// -sum(labels log_softmax(logits)) / rows
void emit_cross_entropy_loss(translator & t, const ggml_tensor * dst) {
    require_floats(dst);
    const int64_t axes[] = { 0, 1, 2, 3 };
    const value   logs   = t.op("LogSoftmax", { t.read(dst->src[0]) }, { { "axis", int64_t(-1) } });
    const value   sum    = t.op("ReduceSum", { product(t, logs, t.read(dst->src[1])), t.out.literal(element::i64, { 4 }, axes) });
    t.write(dst, product(t, sum, t.scalar(-1.0f / float(ggml_nrows(dst->src[0])))));
}

// (softmax(logits) - labels) gradient / rows
void emit_cross_entropy_loss_back(translator & t, const ggml_tensor * dst) {
    require(dst->type == GGML_TYPE_F32 && dst->src[0]->type == GGML_TYPE_F32 && dst->src[1]->type == GGML_TYPE_F32 &&
                dst->src[2]->type == GGML_TYPE_F32,
            "types");
    const value p = t.op("Softmax", { t.read(dst->src[1]) }, { { "axis", int64_t(-1) } });
    const value d = product(t, t.op("Sub", { p, t.read(dst->src[2]) }), t.read(dst->src[0]));
    t.write(dst, product(t, d, t.scalar(1.0f / float(ggml_nrows(dst->src[1])))));
}

// In place: x (1 - rate decay) - rate gradient
void emit_opt_step_sgd(translator & t, const ggml_tensor * dst) {
    require_floats(dst);
    const ggml_tensor * x = dst->src[0];
    require(dst->src[2] && dst->src[2]->type == GGML_TYPE_F32 && dst->src[2]->ne[0] >= 2, "parameters");
    const value params = t.reshape(t.read(dst->src[2]), { ggml_nelements(dst->src[2]) });
    const value rate   = t.slice(params, 0, 0, 1);
    const value decay  = t.slice(params, 0, 1, 2);
    const value kept   = product(t, t.read(x), t.op("Sub", { t.scalar(1.0f), product(t, rate, decay) }));
    t.write(dst, t.op("Sub", { kept, product(t, t.read(dst->src[1]), rate) }));
}

}  // namespace ggml_directx::onnx
