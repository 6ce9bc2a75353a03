#include "ops/upscale.h"

#include "kernels/upscale_args.h"

#include <algorithm>
#include <string>

namespace ggml_directx {

namespace {

constexpr uint64_t group_size = 128;

// Axis MODE of upscale.hlsl.
const char * mode_of(int32_t flags) {
    const bool antialias = (flags & GGML_SCALE_FLAG_ANTIALIAS) != 0;
    switch (flags & 0xff) {
        case GGML_SCALE_MODE_NEAREST: return "nearest";
        case GGML_SCALE_MODE_BILINEAR: return antialias ? "antialias" : "bilinear";
        case GGML_SCALE_MODE_BICUBIC: return "bicubic";
        default: return nullptr;
    }
}

// Elements that are read for one of dst, in one dimension.
float taps_of(float scale) {
    return 2.0f * std::max(1.0f, 1.0f / scale) + 1.0f;
}

}  // namespace

bool encode_upscale(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src   = dst->src[0];
    const int32_t       flags = dst->op_params[0];
    const char *        mode  = mode_of(flags);
    if (!mode || src->type != GGML_TYPE_F32 || dst->type != GGML_TYPE_F32 || ggml_is_empty(src) ||
        uint64_t(ggml_nelements(dst)) > UINT32_MAX - group_size) {
        return false;
    }

    const bool corners = (flags & GGML_SCALE_FLAG_ALIGN_CORNERS) != 0;

    args::upscale_args a{};
    a.src    = e.read(src);
    a.dst    = e.write(dst);
    a.center = corners ? 0.0f : 0.5f;
    a.n      = uint32_t(ggml_nelements(dst));
    for (int i = 0; i < GGML_MAX_DIMS; ++i) {
        const bool between_corners = corners && i < 2 && dst->ne[i] > 1 && src->ne[i] > 1;
        const auto less            = int64_t(between_corners);
        a.scale[i]                 = float(dst->ne[i] - less) / float(src->ne[i] - less);
    }
    const auto work = uint64_t(float(a.n) * taps_of(a.scale[0]) * taps_of(a.scale[1]));
    return e.dispatch_linear(std::string("upscale.") + mode, a, (uint64_t(a.n) + group_size - 1) / group_size, work);
}

}  // namespace ggml_directx
