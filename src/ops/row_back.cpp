#include "ops/row_back.h"

#include "kernels/row_back_args.h"

namespace ggml_directx {

bool encode_row_back(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * gradient = dst->src[0];
    const ggml_tensor * src      = dst->src[1];
    if (gradient->type != GGML_TYPE_F32 || src->type != GGML_TYPE_F32 || dst->type != GGML_TYPE_F32 ||
        !ggml_are_same_shape(gradient, dst) || !ggml_are_same_shape(src, dst) || uint64_t(ggml_nelements(dst)) > UINT32_MAX ||
        !e.can_loop(2 * (uint64_t(dst->ne[0]) / 128 + 1))) {
        return false;
    }

    args::row_back_args a{};
    a.rows = uint32_t(ggml_nrows(dst));
    if (dst->op == GGML_OP_SOFT_MAX_BACK) {
        float max_bias;
        std::memcpy(&a.scale, &dst->op_params[0], sizeof(a.scale));
        std::memcpy(&max_bias, &dst->op_params[1], sizeof(max_bias));
        if (max_bias != 0.0f) {
            return false;
        }
    } else {
        std::memcpy(&a.eps, &dst->op_params[0], sizeof(a.eps));
    }

    a.gradient = e.read(gradient);
    a.src      = e.read(src);
    a.dst      = e.write(dst);
    return e.dispatch_linear(dst->op == GGML_OP_SOFT_MAX_BACK ? "row_back.soft_max" : "row_back.rms_norm", a, a.rows);
}

}  // namespace ggml_directx
