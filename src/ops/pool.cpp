#include "ops/pool.h"

#include "kernels/pool_args.h"
#include "ops/volume.h"

#include <string>

namespace ggml_directx {

namespace {

constexpr uint64_t group_size = 128;

// op_params: the kind, then extent, stride and padding for each dimension.
args::pool_args pool_args_of(const ggml_tensor * dst) {
    const int dimensions = dst->op == GGML_OP_POOL_1D ? 1 : 2;

    args::pool_args a{};
    a.window.ne       = { 1, 1, 1, 1 };
    a.window.stride   = { 1, 1, 1, 1 };
    a.window.dilation = { 1, 1, 1, 1 };
    for (int i = 0; i < dimensions; ++i) {
        a.window.ne[i]      = uint32_t(dst->op_params[1 + i]);
        a.window.stride[i]  = dst->op_params[1 + dimensions + i];
        a.window.padding[i] = dst->op_params[1 + 2 * dimensions + i];
    }
    a.n       = uint32_t(ggml_nelements(dst));
    a.largest = dst->op_params[0] == GGML_OP_POOL_MAX;
    // ggml's one-dimensional mean leaves out what lies outside, its two-dimensional one counts it as zeros.
    a.divisor = dimensions == 1 ? 0 : a.window.ne[0] * a.window.ne[1];
    return a;
}

bool is_supported(const encoder & e, const ggml_tensor * dst, const args::pool_args & a) {
    const int kind = dst->op_params[0];
    return e.can_loop(4 * uint64_t(a.window.ne[0]) * a.window.ne[1]) && (kind == GGML_OP_POOL_MAX || kind == GGML_OP_POOL_AVG) &&
           uint64_t(ggml_nelements(dst)) <= UINT32_MAX - group_size && a.window.ne[0] >= 1 && a.window.ne[1] >= 1 &&
           a.window.stride[0] >= 1 && a.window.stride[1] >= 1;
}

uint64_t groups_of(const args::pool_args & a) {
    return (uint64_t(a.n) + group_size - 1) / group_size;
}

uint64_t work_of(const args::pool_args & a) {
    return uint64_t(a.n) * a.window.ne[0] * a.window.ne[1];
}

}  // namespace

bool encode_pool(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    args::pool_args     a   = pool_args_of(dst);
    if (!is_supported(e, dst, a) || dst->type != GGML_TYPE_F32) {
        return false;
    }
    a.image  = as_volume(e.read(src), axes_2d);
    a.pooled = as_volume(e.write(dst), axes_2d);
    return e.dispatch_linear(std::string("pool.") + ggml_type_name(src->type), a, groups_of(a), work_of(a));
}

bool encode_pool_back(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src     = dst->src[0];
    const ggml_tensor * forward = dst->src[1];
    args::pool_args     a       = pool_args_of(dst);
    if (!is_supported(e, dst, a) || dst->type != GGML_TYPE_F32 || src->type != GGML_TYPE_F32 || forward->type != GGML_TYPE_F32 ||
        !ggml_are_same_shape(dst, forward)) {
        return false;
    }
    a.pooled  = as_volume(e.read(src), axes_2d);
    a.forward = as_volume(e.read(forward), axes_2d);
    a.image   = as_volume(e.write(dst), axes_2d);
    return e.dispatch_linear("pool_back", a, groups_of(a), work_of(a));
}

}  // namespace ggml_directx
