#include "ops/mask.h"

#include "kernels/mask_args.h"
#include "ops/elementwise.h"

#include <limits>

namespace ggml_directx {

namespace {

// Element (x, y) is kept where x compares with y + shift as `keep` says.
bool set_kept(args::mask_args & a, const ggml_tensor * dst) {
    const int32_t param = dst->op_params[0];
    switch (dst->op) {
        case GGML_OP_DIAG: a.keep = args::mask_diagonal; return true;
        case GGML_OP_DIAG_MASK_INF:
        case GGML_OP_DIAG_MASK_ZERO:
            a.keep  = args::mask_below;
            a.shift = param + 1;
            a.fill  = dst->op == GGML_OP_DIAG_MASK_INF ? -std::numeric_limits<float>::infinity() : 0.0f;
            return true;
        case GGML_OP_TRI:
            a.keep  = param == GGML_TRI_TYPE_LOWER || param == GGML_TRI_TYPE_LOWER_DIAG ? args::mask_below : args::mask_above;
            a.shift = param == GGML_TRI_TYPE_LOWER_DIAG ? 1 : param == GGML_TRI_TYPE_UPPER_DIAG ? -1 : 0;
            return true;
        default: return false;
    }
}

}  // namespace

bool encode_mask(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    args::mask_args     a{};
    if (src->type != GGML_TYPE_F32 || dst->type != GGML_TYPE_F32 || !ggml_can_repeat(src, dst) || !fits_quads(dst) || !set_kept(a, dst)) {
        return false;
    }
    a.src    = e.read(src);
    a.dst    = e.write(dst);
    a.n      = uint32_t(ggml_nelements(dst));
    a.packed = is_packed(dst, a.dst);
    return e.dispatch_linear("mask", a, quad_groups(dst));
}

}  // namespace ggml_directx
