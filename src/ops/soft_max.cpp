#include "ops/soft_max.h"

#include "kernels/soft_max_args.h"

#include <bit>
#include <limits>
#include <string>

namespace ggml_directx {

namespace {

// Threads of a group: a few elements for each, so that short rows do not leave most of them idle.
const char * group_for(int64_t row) {
    return row <= 128 ? "32" : row <= 1024 ? "128" : "512";
}

bool is_mask(const ggml_tensor * mask, const ggml_tensor * src) {
    return (mask->type == GGML_TYPE_F16 || mask->type == GGML_TYPE_F32) && mask->nb[0] == ggml_type_size(mask->type) &&
           mask->ne[0] == src->ne[0] && mask->ne[1] >= src->ne[1] && src->ne[2] % mask->ne[2] == 0 && src->ne[3] % mask->ne[3] == 0;
}

}  // namespace

bool encode_soft_max(encoder & e, const ggml_tensor * dst) {
    return encode_soft_max_or(e, dst, std::numeric_limits<float>::quiet_NaN());
}

bool encode_soft_max_or(encoder & e, const ggml_tensor * dst, float blank) {
    const ggml_tensor * src   = dst->src[0];
    const ggml_tensor * mask  = dst->src[1];
    const ggml_tensor * sinks = dst->src[2];
    if (src->type != GGML_TYPE_F32 || dst->type != GGML_TYPE_F32 || src->nb[0] != sizeof(float) || dst->nb[0] != sizeof(float) ||
        !ggml_are_same_shape(src, dst) || uint64_t(ggml_nelements(src)) > UINT32_MAX || !e.can_loop(3 * (uint64_t(src->ne[0]) / 512 + 8))) {
        return false;
    }
    if ((mask && !is_mask(mask, src)) || (sinks && (sinks->type != GGML_TYPE_F32 || sinks->ne[0] != src->ne[2]))) {
        return false;
    }

    float scale;
    float max_bias;
    std::memcpy(&scale, &dst->op_params[0], sizeof(scale));
    std::memcpy(&max_bias, &dst->op_params[1], sizeof(max_bias));

    args::soft_max_args a{};
    a.src         = e.read(src);
    a.mask        = mask ? e.read(mask) : e.none();
    a.sinks       = sinks ? e.read(sinks) : e.none();
    a.dst         = e.write(dst);
    a.rows        = uint32_t(ggml_nrows(src));
    a.has_sinks   = sinks != nullptr;
    a.n_head_log2 = std::bit_floor(uint32_t(src->ne[2]));
    a.scale       = scale;
    a.alibi       = max_bias > 0.0f ? max_bias / float(a.n_head_log2) : 0.0f;
    a.blank       = blank;
    if (!mask) {
        a.mask.ne = { 1, 1, 1, 1 };  // the kernel divides by them
    }

    const char * mask_type = mask ? ggml_type_name(mask->type) : "none";
    return e.dispatch_linear(std::string("soft_max.") + mask_type + "." + group_for(src->ne[0]), a, a.rows);
}

}  // namespace ggml_directx
