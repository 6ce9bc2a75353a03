#include "ops/hyper_connection.h"

#include "kernels/hyper_connection_args.h"

namespace ggml_directx {

namespace {

constexpr uint64_t comb_group_size = 64;
constexpr uint64_t group_size      = 128;

uint64_t groups_for(uint64_t threads, uint64_t size) {
    return (threads + size - 1) / size;
}

bool encode_comb(encoder & e, const ggml_tensor * dst) {
    if (dst->ne[0] != 4 || dst->ne[1] != 4) {
        return false;
    }
    args::hyper_connection_comb_args a{};
    a.mixes = e.read(dst->src[0]);
    a.scale = e.read(dst->src[1]);
    a.base  = e.read(dst->src[2]);
    a.dst   = e.write(dst);
    std::memcpy(&a.eps, &dst->op_params[0], sizeof(a.eps));
    a.iterations = uint32_t(dst->op_params[1]);
    return e.dispatch_linear("hyper_connection_comb", a, groups_for(uint64_t(dst->ne[2]), comb_group_size));
}

}  // namespace

bool encode_hyper_connection(encoder & e, const ggml_tensor * dst) {
    for (const ggml_tensor * src : dst->src) {
        if (src && src->type != GGML_TYPE_F32) {
            return false;
        }
    }
    if (dst->type != GGML_TYPE_F32 || uint64_t(ggml_nelements(dst)) > UINT32_MAX - 4 * group_size) {
        return false;
    }
    args::hyper_connection_args a{};
    switch (dst->op) {
        case GGML_OP_DSV4_HC_COMB: return encode_comb(e, dst);
        case GGML_OP_DSV4_HC_PRE:
            a.x       = e.read(dst->src[0]);
            a.weights = e.read(dst->src[1]);
            a.dst     = e.write(dst);
            return e.dispatch_linear("hyper_connection_pre", a, groups_for(uint64_t(ggml_nelements(dst)), group_size));
        case GGML_OP_DSV4_HC_POST: {
            a.x                  = e.read(dst->src[0]);
            a.residual           = e.read(dst->src[1]);
            a.weights            = e.read(dst->src[2]);
            a.comb               = e.read(dst->src[3]);
            a.dst                = e.write(dst);
            const uint64_t fours = uint64_t(dst->ne[1] + 3) / 4;
            return e.dispatch_linear("hyper_connection_post", a,
                                     groups_for(uint64_t(dst->ne[0]) * fours * uint64_t(dst->ne[2]), group_size));
        }
        default: return false;
    }
}

}  // namespace ggml_directx
