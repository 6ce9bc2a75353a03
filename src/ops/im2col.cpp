#include "ops/im2col.h"

#include "kernels/col2im_args.h"
#include "kernels/im2col_args.h"
#include "ops/elementwise.h"
#include "ops/volume.h"

#include <algorithm>
#include <string>

namespace ggml_directx {

namespace {

constexpr uint64_t group_size = 128;

bool is_2d(const ggml_tensor * dst) {
    return dst->op_params[6] == 1;
}

// Columns count their taps in the first dimension, the place of channels.
constexpr volume_axes column_axes_1d = { 1, no_axis, no_axis, 0, 2 };
constexpr volume_axes column_axes_2d = { 1, 2, no_axis, 0, 3 };

// The window of IM2COL or IM2COL_BACK: one-dimensional ones leave the second dimension's parameters undefined.
args::window_args window_2d(const ggml_tensor * dst, const ggml_tensor * kernel) {
    args::window_args w = window_of(dst, 2);
    w.ne[0]             = uint32_t(kernel->ne[0]);
    if (is_2d(dst)) {
        w.ne[1] = uint32_t(kernel->ne[1]);
    } else {
        w.stride[1]  = 1;
        w.padding[1] = 0;
    }
    return w;
}

void set_2d(args::im2col_args & a, const ggml_tensor * dst, const ggml_tensor * kernel, const args::tensor_args & image,
            const args::tensor_args & columns) {
    a.image   = as_volume(image, is_2d(dst) ? axes_2d : axes_1d);
    a.columns = as_volume(columns, is_2d(dst) ? column_axes_2d : column_axes_1d);
    a.window  = window_2d(dst, kernel);
}

bool set_3d(args::im2col_args & a, const ggml_tensor * dst, const ggml_tensor * kernel, const args::tensor_args & image,
            const args::tensor_args & columns) {
    const int64_t channels = dst->op_params[9];
    const int64_t batches  = channels > 0 ? int64_t(image.ne[3]) / channels : 0;
    if (batches == 0 || dst->ne[3] % batches != 0) {
        return false;
    }
    a.image   = as_volume_3d(image, uint32_t(channels));
    a.columns = as_volume(columns, { 1, 2, 3, 0, no_axis });

    // Depth and batches share the last dimension.
    a.columns.batches  = a.image.batches;
    a.columns.ne[2]    = uint32_t(dst->ne[3] / batches);
    a.columns.batch_nb = a.columns.ne[2] * a.columns.nb[2];

    a.window = window_of(dst, 3);
    for (int i = 0; i < 3; ++i) {
        a.window.ne[i] = uint32_t(kernel->ne[i]);
    }
    return true;
}

// The columns must be as many and as long as the kernel reads or writes them.
bool is_consistent(const args::im2col_args & a) {
    const uint64_t taps = uint64_t(a.window.ne[0]) * a.window.ne[1] * a.window.ne[2];
    return a.columns.ne[3] == taps * a.image.ne[3] && a.columns.batches == a.image.batches;
}

}  // namespace

bool encode_im2col(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * kernel = dst->src[0];
    const ggml_tensor * src    = dst->src[1];
    if (!fits_quads(dst)) {
        return false;
    }

    args::im2col_args       a{};
    const args::tensor_args image   = e.read(src);
    const args::tensor_args columns = e.write(dst);
    if (dst->op == GGML_OP_IM2COL) {
        set_2d(a, dst, kernel, image, columns);
    } else if (!set_3d(a, dst, kernel, image, columns)) {
        return false;
    }
    a.n      = uint32_t(ggml_nelements(dst));
    a.packed = is_packed(dst, columns);
    return is_consistent(a) &&
           e.dispatch_linear(std::string("im2col.") + ggml_type_name(src->type) + "." + ggml_type_name(dst->type), a, quad_groups(dst));
}

bool encode_im2col_back(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src    = dst->src[0];
    const ggml_tensor * kernel = dst->src[1];
    if (src->type != GGML_TYPE_F32 || dst->type != GGML_TYPE_F32 || uint64_t(ggml_nelements(dst)) > UINT32_MAX - group_size) {
        return false;
    }

    args::im2col_args       a{};
    const args::tensor_args columns = e.read(src);
    set_2d(a, dst, kernel, e.write(dst), columns);
    a.n                 = uint32_t(ggml_nelements(dst));
    const uint64_t taps = uint64_t(a.window.ne[0]) * a.window.ne[1];
    if (!is_consistent(a) || a.window.stride[0] < 1 || a.window.stride[1] < 1 || !e.can_loop(2 * taps)) {
        return false;
    }
    return e.dispatch_linear("im2col_back", a, (uint64_t(a.n) + group_size - 1) / group_size, a.n * taps);
}

bool encode_col2im_1d(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src      = dst->src[0];
    const int32_t       channels = dst->op_params[1];
    if (src->type != dst->type || channels < 1 || src->ne[0] % channels != 0 || dst->op_params[0] < 1 || dst->op_params[2] < 0 ||
        !fits_quads(dst) || !e.can_loop(4 * std::min(uint64_t(src->ne[0] / channels), uint64_t(src->ne[1])))) {
        return false;
    }

    args::col2im_args a{};
    a.src    = e.read(src);
    a.dst    = e.write(dst);
    a.n      = uint32_t(ggml_nelements(dst));
    a.packed = is_packed(dst, a.dst);
    a.taps   = uint32_t(src->ne[0] / channels);
    a.stride = uint32_t(dst->op_params[0]);
    a.crop   = uint32_t(dst->op_params[2]);
    return e.dispatch_linear(std::string("col2im.") + ggml_type_name(dst->type), a, quad_groups(dst));
}

}  // namespace ggml_directx
