#include "ops/unary.h"

#include "kernels/unary_args.h"
#include "ops/elementwise.h"

#include <optional>
#include <string>

namespace ggml_directx {

namespace {

struct operation {
    const char * group;  // axis GROUP of unary.hlsl
    uint32_t     op;
    args::float4 params{};
};

float param(const ggml_tensor * dst, int i) {
    float v;
    std::memcpy(&v, &dst->op_params[i], sizeof(v));
    return v;
}

std::optional<operation> unary_operation(const ggml_tensor * dst) {
    // clang-format off: a table
    switch (ggml_get_unary_op(dst)) {
        case GGML_UNARY_OP_ABS: return operation{ "basic", args::unary_abs };
        case GGML_UNARY_OP_SGN: return operation{ "basic", args::unary_sgn };
        case GGML_UNARY_OP_NEG: return operation{ "basic", args::unary_neg };
        case GGML_UNARY_OP_STEP: return operation{ "basic", args::unary_step };
        case GGML_UNARY_OP_RELU: return operation{ "basic", args::unary_relu };
        case GGML_UNARY_OP_FLOOR: return operation{ "basic", args::unary_floor };
        case GGML_UNARY_OP_CEIL: return operation{ "basic", args::unary_ceil };
        case GGML_UNARY_OP_ROUND: return operation{ "basic", args::unary_round };
        case GGML_UNARY_OP_TRUNC: return operation{ "basic", args::unary_trunc };
        case GGML_UNARY_OP_HARDSWISH: return operation{ "basic", args::unary_hardswish };
        case GGML_UNARY_OP_HARDSIGMOID: return operation{ "basic", args::unary_hardsigmoid };
        case GGML_UNARY_OP_EXP: return operation{ "exponential", args::unary_exp };
        case GGML_UNARY_OP_EXPM1: return operation{ "exponential", args::unary_expm1 };
        case GGML_UNARY_OP_ELU: return operation{ "exponential", args::unary_elu };
        case GGML_UNARY_OP_TANH: return operation{ "exponential", args::unary_tanh };
        case GGML_UNARY_OP_SIGMOID: return operation{ "exponential", args::unary_sigmoid };
        case GGML_UNARY_OP_SILU: return operation{ "exponential", args::unary_silu };
        case GGML_UNARY_OP_GELU: return operation{ "exponential", args::unary_gelu };
        case GGML_UNARY_OP_GELU_QUICK: return operation{ "exponential", args::unary_gelu_quick };
        case GGML_UNARY_OP_SOFTPLUS: return operation{ "exponential", args::unary_softplus };
        case GGML_UNARY_OP_XIELU:
            return operation{ "exponential", args::unary_xielu, { param(dst, 1), param(dst, 2), param(dst, 3), param(dst, 4) } };
        case GGML_UNARY_OP_GELU_ERF: return operation{ "special", args::unary_gelu_erf };
        default: return std::nullopt;
    }
    // clang-format on
}

std::optional<operation> operation_of(const ggml_tensor * dst) {
    switch (dst->op) {
        case GGML_OP_UNARY: return unary_operation(dst);
        case GGML_OP_SQR: return operation{ "basic", args::unary_sqr };
        case GGML_OP_SQRT: return operation{ "basic", args::unary_sqrt };
        case GGML_OP_CLAMP: return operation{ "basic", args::unary_clamp, { param(dst, 0), param(dst, 1) } };
        case GGML_OP_SCALE: return operation{ "basic", args::unary_scale, { param(dst, 0), param(dst, 1) } };
        case GGML_OP_LEAKY_RELU: return operation{ "basic", args::unary_leaky_relu, { param(dst, 0) } };
        case GGML_OP_LOG: return operation{ "special", args::unary_log };
        case GGML_OP_SIN: return operation{ "special", args::unary_sin };
        case GGML_OP_COS: return operation{ "special", args::unary_cos };
        default: return std::nullopt;
    }
}

}  // namespace

bool encode_unary(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor *            src = dst->src[0];
    const std::optional<operation> o   = operation_of(dst);
    if (!o || !ggml_are_same_shape(src, dst) || !fits_quads(dst)) {
        return false;
    }

    args::unary_args a{};
    a.src    = e.read(src);
    a.dst    = e.write(dst);
    a.n      = uint32_t(ggml_nelements(dst));
    a.op     = o->op;
    a.packed = is_packed(dst, a.dst);
    a.params = o->params;

    const bool        flat = a.packed && is_packed(src, a.src) && a.n % 4 == 0;
    const std::string kernel =
        std::string(flat ? "unary.flat." : "unary.strided.") + o->group + "." + ggml_type_name(src->type) + "." + ggml_type_name(dst->type);
    return e.dispatch_linear(kernel, a, quad_groups(dst));
}

}  // namespace ggml_directx
