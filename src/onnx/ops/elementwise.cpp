#include "onnx/ops.h"

namespace ggml_directx::onnx {

namespace {

bool is_float(const ggml_tensor * t) {
    return t->type == GGML_TYPE_F32 || t->type == GGML_TYPE_F16 || t->type == GGML_TYPE_BF16;
}

value sigmoid(translator & t, value x) {
    return t.op("Sigmoid", { x });
}

// To the integer away from zero of what `magnitude` makes of the absolute value.
value with_sign_of(translator & t, value x, value magnitude) {
    return t.op("Mul", { t.op("Sign", { x }), magnitude });
}

value gelu(translator & t, value x, std::string_view how) {
    return t.op("Gelu", { x }, { { "approximate", how } });
}

value xielu(translator & t, value x, const ggml_tensor * dst) {
    const float alpha_n = float_param(dst, 1);
    const float alpha_p = float_param(dst, 2);
    const float beta    = float_param(dst, 3);
    const float eps     = float_param(dst, 4);
    const value bx      = t.op("Mul", { x, t.scalar(beta) });
    const value above   = t.op("Add", { t.op("Mul", { t.op("Mul", { x, x }), t.scalar(alpha_p) }), bx });
    const value capped  = t.op("Min", { x, t.scalar(eps) });
    const value expm1   = t.op("Sub", { t.op("Exp", { capped }), t.scalar(1.0f) });
    const value below   = t.op("Add", { t.op("Mul", { t.op("Sub", { expm1, x }), t.scalar(alpha_n) }), bx });
    const value is_up   = t.out.add("Greater", { x, t.scalar(0.0f) }, {}, element::boolean);
    return t.out.add("Where", { is_up, above, below }, {}, element::f32);
}

value unary(translator & t, value x, const ggml_tensor * dst) {
    switch (ggml_get_unary_op(dst)) {
        case GGML_UNARY_OP_ABS: return t.op("Abs", { x });
        case GGML_UNARY_OP_SGN: return t.op("Sign", { x });
        case GGML_UNARY_OP_NEG: return t.op("Neg", { x });
        case GGML_UNARY_OP_STEP: return t.cast(t.out.add("Greater", { x, t.scalar(0.0f) }, {}, element::boolean), element::f32);
        case GGML_UNARY_OP_TANH: return t.op("Tanh", { x });
        case GGML_UNARY_OP_ELU: return t.op("Elu", { x });
        case GGML_UNARY_OP_RELU: return t.op("Relu", { x });
        case GGML_UNARY_OP_SIGMOID: return sigmoid(t, x);
        case GGML_UNARY_OP_GELU: return gelu(t, x, "tanh");
        case GGML_UNARY_OP_GELU_ERF: return gelu(t, x, "none");
        case GGML_UNARY_OP_GELU_QUICK: return t.op("Mul", { x, sigmoid(t, t.op("Mul", { x, t.scalar(1.702f) })) });
        case GGML_UNARY_OP_SILU: return t.op("Mul", { x, sigmoid(t, x) });
        case GGML_UNARY_OP_HARDSWISH: return t.op("Mul", { x, t.op("HardSigmoid", { x }, { { "alpha", 1.0f / 6.0f }, { "beta", 0.5f } }) });
        case GGML_UNARY_OP_HARDSIGMOID: return t.op("HardSigmoid", { x }, { { "alpha", 1.0f / 6.0f }, { "beta", 0.5f } });
        case GGML_UNARY_OP_EXP: return t.op("Exp", { x });
        case GGML_UNARY_OP_EXPM1: return t.op("Sub", { t.op("Exp", { x }), t.scalar(1.0f) });
        case GGML_UNARY_OP_SOFTPLUS: return t.op("Softplus", { x });
        case GGML_UNARY_OP_XIELU: return xielu(t, x, dst);
        case GGML_UNARY_OP_FLOOR: return t.op("Floor", { x });
        case GGML_UNARY_OP_CEIL: return t.op("Ceil", { x });
        // C's roundf: halves away from zero
        case GGML_UNARY_OP_ROUND: return with_sign_of(t, x, t.op("Floor", { t.op("Add", { t.op("Abs", { x }), t.scalar(0.5f) }) }));
        case GGML_UNARY_OP_TRUNC: return with_sign_of(t, x, t.op("Floor", { t.op("Abs", { x }) }));
        default: throw unsupported("this unary op");
    }
}

value elementwise(translator & t, value x, const ggml_tensor * dst) {
    switch (dst->op) {
        case GGML_OP_UNARY: return unary(t, x, dst);
        case GGML_OP_SQR: return t.op("Mul", { x, x });
        case GGML_OP_SQRT: return t.op("Sqrt", { x });
        case GGML_OP_SIN: return t.op("Sin", { x });
        case GGML_OP_COS: return t.op("Cos", { x });
        case GGML_OP_LOG: return t.op("Log", { x });
        case GGML_OP_LEAKY_RELU: return t.op("LeakyRelu", { x }, { { "alpha", float_param(dst, 0) } });
        case GGML_OP_CLAMP: return t.op("Clip", { x, t.scalar(float_param(dst, 0)), t.scalar(float_param(dst, 1)) });
        case GGML_OP_SCALE: {
            const float bias = float_param(dst, 1);
            x                = t.op("Mul", { x, t.scalar(float_param(dst, 0)) });
            return bias == 0.0f ? x : t.op("Add", { x, t.scalar(bias) });
        }
        default: throw unsupported("this elementwise op");
    }
}

const char * binary_op(ggml_op op) {
    switch (op) {
        case GGML_OP_ADD:
        case GGML_OP_ADD1: return "Add";
        case GGML_OP_SUB: return "Sub";
        case GGML_OP_MUL: return "Mul";
        default: return "Div";
    }
}

}  // namespace

value broadcast(translator & t, value v, const ggml_tensor * from, const ggml_tensor * to) {
    std::vector<int64_t> repeats(4);
    bool                 tile = false;
    for (int i = 0; i < 4; ++i) {
        require(from->ne[i] > 0 && to->ne[i] % from->ne[i] == 0, "shapes that do not repeat");
        const bool by_onnx = from->ne[i] == 1 || from->ne[i] == to->ne[i];
        tile |= !by_onnx;
        repeats[size_t(3 - i)] = by_onnx ? 1 : to->ne[i] / from->ne[i];
    }
    return tile ? t.op("Tile", { v, t.out.numbers(repeats) }) : v;
}

void emit_unary(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    require(is_float(src) && is_float(dst) && ggml_are_same_shape(src, dst), "types");
    t.write(dst, elementwise(t, t.read_f32(src), dst));
}

void emit_binary(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * a = dst->src[0];
    const ggml_tensor * b = dst->src[1];
    require(is_float(a) && is_float(b) && is_float(dst) && ggml_are_same_shape(a, dst), "types");
    // the weight of a norm is part of ONNX's norms
    if (dst->op == GGML_OP_MUL && (a->op == GGML_OP_RMS_NORM || a->op == GGML_OP_NORM) && a->type == GGML_TYPE_F32 &&
        b->type == GGML_TYPE_F32 && ggml_nelements(b) == b->ne[0] && b->ne[0] == a->ne[0] && !a->view_src && t.computed(a)) {
        t.write(dst, emit_norm_of(t, a, t.reshape(t.read(b), { b->ne[0] })));
        return;
    }
    t.write(dst, t.op(binary_op(dst->op), { t.read_f32(a), broadcast(t, t.read_f32(b), b, a) }));
}

void emit_add_id(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * a   = dst->src[0];
    const ggml_tensor * b   = dst->src[1];
    const ggml_tensor * ids = dst->src[2];
    require(is_float(a) && is_float(b) && ids->type == GGML_TYPE_I32 && b->ne[2] == 1 && b->ne[3] == 1 && a->ne[3] == 1, "types");
    // [tokens, used] picks of [experts, ne0]
    const value table = t.reshape(t.read_f32(b), { b->ne[1], b->ne[0] });
    const value picks = t.reshape(t.read(ids), { 1, ids->ne[1], ids->ne[0] });
    t.write(dst, t.op("Add", { t.read_f32(a), t.op("Gather", { table, picks }, { { "axis", int64_t(0) } }) }));
}

void emit_glu(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * a = dst->src[0];
    const ggml_tensor * b = dst->src[1];
    require(is_float(a) && (!b || is_float(b)) && is_float(dst), "types");
    value gate;
    value up;
    if (b) {
        gate = t.read_f32(a);
        up   = t.read_f32(b);
    } else {
        const int64_t n       = dst->ne[0];
        const bool    swapped = dst->op_params[1] != 0;
        const value   both    = t.read_f32(a);
        gate                  = t.slice(both, 3, swapped ? n : 0, swapped ? 2 * n : n);
        up                    = t.slice(both, 3, swapped ? 0 : n, swapped ? n : 2 * n);
    }
    const float alpha = float_param(dst, 2);
    const float limit = float_param(dst, 3);
    value       x;
    switch (ggml_get_glu_op(dst)) {
        case GGML_GLU_OP_REGLU: x = t.op("Relu", { gate }); break;
        case GGML_GLU_OP_GEGLU: x = gelu(t, gate, "tanh"); break;
        case GGML_GLU_OP_GEGLU_ERF: x = gelu(t, gate, "none"); break;
        case GGML_GLU_OP_GEGLU_QUICK: x = t.op("Mul", { gate, sigmoid(t, t.op("Mul", { gate, t.scalar(1.702f) })) }); break;
        case GGML_GLU_OP_SWIGLU: x = t.op("Mul", { gate, sigmoid(t, gate) }); break;
        case GGML_GLU_OP_SWIGLU_OAI:
            gate = t.op("Min", { gate, t.scalar(limit) });
            up   = t.op("Clip", { up, t.scalar(-limit), t.scalar(limit) });
            up   = t.op("Add", { up, t.scalar(1.0f) });
            x    = t.op("Mul", { gate, sigmoid(t, t.op("Mul", { gate, t.scalar(alpha) })) });
            break;
        case GGML_GLU_OP_SWIGLU_CLAMP:
            gate = t.op("Min", { gate, t.scalar(limit) });
            up   = t.op("Clip", { up, t.scalar(-limit), t.scalar(limit) });
            x    = t.op("Mul", { gate, sigmoid(t, gate) });
            break;
        default: throw unsupported("this gated op");
    }
    t.write(dst, t.op("Mul", { x, up }));
}

void emit_copy(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    require(ggml_nelements(src) == ggml_nelements(dst), "sizes");
    // blocks are read as floats: their own copy stays with ggml
    require(!ggml_is_quantized(dst->type), "types");
    value v = t.read(src);
    if (!ggml_are_same_shape(src, dst)) {
        v = t.reshape(v, translator::shape_of(dst));
    }
    t.write(dst, v);
}

}  // namespace ggml_directx::onnx
