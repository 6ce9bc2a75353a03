#include "ops/glu.h"

#include "kernels/glu_args.h"
#include "ops/elementwise.h"

#include <string>

namespace ggml_directx {

namespace {

// Axis OP of glu.hlsl.
const char * name_of(ggml_glu_op op) {
    switch (op) {
        case GGML_GLU_OP_REGLU: return "reglu";
        case GGML_GLU_OP_GEGLU: return "geglu";
        case GGML_GLU_OP_GEGLU_ERF: return "geglu_erf";
        case GGML_GLU_OP_GEGLU_QUICK: return "geglu_quick";
        case GGML_GLU_OP_SWIGLU: return "swiglu";
        case GGML_GLU_OP_SWIGLU_OAI: return "swiglu_oai";
        case GGML_GLU_OP_SWIGLU_CLAMP: return "swiglu_clamp";
        default: return nullptr;
    }
}

bool dispatch(encoder & e, args::glu_args & a, const char * op, const ggml_tensor * dst) {
    a.n      = uint32_t(ggml_nelements(dst));
    a.packed = is_packed(dst, a.dst);

    const bool        rows   = has_quad_rows(a.gate, dst->type) && has_quad_rows(a.up, dst->type) && has_quad_rows(a.dst, dst->type);
    const std::string kernel = std::string(rows ? "glu.rows." : "glu.strided.") + op + "." + ggml_type_name(dst->type);
    return e.dispatch_linear(kernel, a, quad_groups(dst));
}

}  // namespace

bool encode_glu(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src0 = dst->src[0];
    const ggml_tensor * src1 = dst->src[1];
    const char *        op   = name_of(ggml_get_glu_op(dst));
    if (!op || src0->type != dst->type || (src1 && src1->type != dst->type) || !fits_quads(dst)) {
        return false;
    }

    args::glu_args a{};
    a.gate = e.read(src0);
    a.up   = e.read(src1 ? src1 : src0);
    a.dst  = e.write(dst);
    std::memcpy(&a.alpha, &dst->op_params[2], sizeof(a.alpha));
    std::memcpy(&a.limit, &dst->op_params[3], sizeof(a.limit));

    if (!src1) {
        const bool swapped = dst->op_params[1] != 0;
        (swapped ? a.gate : a.up).offset += a.dst.ne[0] * a.gate.nb[0];
        a.gate.ne[0] = a.up.ne[0] = a.dst.ne[0];
    }
    return dispatch(e, a, op, dst);
}

bool encode_silu_back(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * gradient = dst->src[0];
    const ggml_tensor * x        = dst->src[1];
    if (gradient->type != dst->type || x->type != dst->type || !ggml_are_same_shape(gradient, dst) || !ggml_are_same_shape(x, dst) ||
        !fits_quads(dst)) {
        return false;
    }

    args::glu_args a{};
    a.gate = e.read(x);
    a.up   = e.read(gradient);
    a.dst  = e.write(dst);
    return dispatch(e, a, "silu_back", dst);
}

}  // namespace ggml_directx
