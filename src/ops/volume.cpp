#include "ops/volume.h"

namespace ggml_directx {

args::volume_args as_volume(const args::tensor_args & t, const volume_axes & axes) {
    const auto ne = [&](int i) { return axes[i] == no_axis ? 1 : t.ne[axes[i]]; };
    const auto nb = [&](int i) { return axes[i] == no_axis ? 0 : t.nb[axes[i]]; };

    args::volume_args v{};
    for (int i = 0; i < 4; ++i) {
        v.ne[i] = ne(i);
        v.nb[i] = nb(i);
    }
    v.batches  = ne(4);
    v.batch_nb = nb(4);
    v.offset   = t.offset;
    return v;
}

args::volume_args as_volume_3d(const args::tensor_args & t, uint32_t channels) {
    args::volume_args v{};
    v.ne       = { t.ne[0], t.ne[1], t.ne[2], channels };
    v.nb       = t.nb;
    v.batches  = t.ne[3] / channels;
    v.batch_nb = channels * t.nb[3];
    v.offset   = t.offset;
    return v;
}

args::window_args window_of(const ggml_tensor * dst, int dimensions) {
    args::window_args w{};
    w.ne       = { 1, 1, 1, 1 };
    w.stride   = { 1, 1, 1, 1 };
    w.dilation = { 1, 1, 1, 1 };
    for (int i = 0; i < dimensions; ++i) {
        w.stride[i]   = dst->op_params[i];
        w.padding[i]  = dst->op_params[dimensions + i];
        w.dilation[i] = dst->op_params[2 * dimensions + i];
    }
    return w;
}

}  // namespace ggml_directx
