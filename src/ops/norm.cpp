#include "ops/norm.h"

#include "kernels/norm_args.h"
#include "ops/elementwise.h"

#include <string>

namespace ggml_directx {

namespace {

// Threads of a group: a few items for each, so that short rows do not leave most of them idle.
const char * group_for(uint64_t items) {
    return items <= 64 ? "32" : items <= 512 ? "128" : "512";
}

float eps_of(const ggml_tensor * dst) {
    float eps;
    std::memcpy(&eps, &dst->op_params[dst->op == GGML_OP_GROUP_NORM ? 1 : 0], sizeof(eps));
    return eps;
}

}  // namespace

bool encode_norm(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    if (src->type != GGML_TYPE_F32 || dst->type != GGML_TYPE_F32 || !ggml_are_same_shape(src, dst) ||
        uint64_t(ggml_nelements(src)) > UINT32_MAX) {
        return false;
    }

    args::norm_args a{};
    a.src = e.read(src);
    a.dst = e.write(dst);
    a.eps = eps_of(dst);
    a.op  = dst->op == GGML_OP_RMS_NORM ? args::norm_rms : dst->op == GGML_OP_L2_NORM ? args::norm_l2 : args::norm_variance;

    if (dst->op == GGML_OP_GROUP_NORM) {
        const int32_t groups = dst->op_params[0];
        if (groups <= 0) {
            return false;
        }
        a.groups   = uint32_t(groups);
        a.channels = uint32_t((src->ne[2] + groups - 1) / groups);
        a.slices   = uint32_t(groups * src->ne[3]);
        if (!e.can_loop(3 * (uint64_t(src->ne[0]) * uint64_t(src->ne[1]) * a.channels / 512 + 1))) {
            return false;
        }
        return e.dispatch_linear("norm.volume.512", a, a.slices);
    }

    const bool     quads = has_quad_rows(a.src, src->type) && has_quad_rows(a.dst, dst->type);
    const uint64_t items = uint64_t(src->ne[0]) / (quads ? 4 : 1);
    a.slices             = uint32_t(ggml_nrows(src));
    if (!e.can_loop(3 * (items / 512 + 4))) {
        return false;
    }
    return e.dispatch_linear(std::string(quads ? "norm.quads." : "norm.any.") + group_for(items), a, a.slices);
}

}  // namespace ggml_directx
