#include "ops/ssm_conv.h"

#include "kernels/ssm_conv_args.h"

namespace ggml_directx {

namespace {

constexpr uint64_t group_size = 128;

}  // namespace

bool encode_ssm_conv(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src     = dst->src[0];
    const ggml_tensor * weights = dst->src[1];
    if (src->type != GGML_TYPE_F32 || weights->type != GGML_TYPE_F32 || dst->type != GGML_TYPE_F32 ||
        src->ne[0] != dst->ne[1] + weights->ne[0] - 1 || weights->ne[1] != dst->ne[0] ||
        uint64_t(ggml_nelements(dst)) > UINT32_MAX - group_size) {
        return false;
    }
    args::ssm_conv_args a{};
    a.src     = e.read(src);
    a.weights = e.read(weights);
    a.dst     = e.write(dst);
    a.n       = uint32_t(ggml_nelements(dst));
    return e.dispatch_linear("ssm_conv", a, (uint64_t(a.n) + group_size - 1) / group_size, uint64_t(a.n) * a.weights.ne[0]);
}

}  // namespace ggml_directx
