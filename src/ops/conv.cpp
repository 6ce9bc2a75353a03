#include "ops/conv.h"

#include "kernels/conv_args.h"
#include "ops/volume.h"

#include <algorithm>
#include <string>

namespace ggml_directx {

namespace {

constexpr uint64_t max_grid_side = 65535;

// One dispatch of so many multiply-adds ends within the watchdog's time on a slow device; see also encoder::dispatch.
constexpr uint64_t max_dispatch_work = 200'000'000'000;

// As in the kernels
constexpr uint64_t group_size = 128;
constexpr uint64_t tile       = 64;

// Fewer channels would leave most of a tile empty.
constexpr uint32_t min_tile_channels = 16;

constexpr uint64_t round_up_division(uint64_t n, uint64_t by) {
    return (n + by - 1) / by;
}

// The outputs that one group computes, and with which kernel.
struct cut {
    std::string kernel;
    uint64_t    places   = 0;
    uint64_t    channels = 0;
};

struct operands {
    const ggml_tensor * weights;
    const ggml_tensor * src;
    const ggml_tensor * dst;
    std::string         type;

    explicit operands(const ggml_tensor * tensor)
        : weights(tensor->src[0]), src(tensor->src[1]), dst(tensor), type(ggml_type_name(weights->type)) {}

    bool have_types() const {
        return (weights->type == GGML_TYPE_F32 || weights->type == GGML_TYPE_F16) && src->type == GGML_TYPE_F32 &&
               dst->type == GGML_TYPE_F32 && uint64_t(ggml_nelements(dst)) < UINT32_MAX - grid_row * group_size;
    }
};

// The tap counts of the filters, which lie in the same dimensions as the image's sides.
void set_taps(args::conv_args & a) {
    for (int i = 0; i < 3; ++i) {
        a.window.ne[i] = a.weights.ne[i];
    }
}

bool is_consistent(const args::conv_args & a) {
    return a.weights.ne[3] == a.src.ne[3] && a.weights.batches == a.dst.ne[3] && a.src.batches == a.dst.batches;
}

// Loops over the window's sides, and in slabs, come on top of the taps.
bool can_loop_over(const encoder & e, uint64_t taps, uint64_t channels) {
    return e.can_loop(taps + taps / 8 + 3 * taps / std::max<uint64_t>(channels, 1));
}

bool channels_are_inner(const args::volume_args & v) {
    return v.ne[3] > 1 && v.nb[3] < v.nb[0];
}

// Emits dispatches for all of a.n places x `channels`, each short enough for the watchdog. The slots for the first are bound.
bool encode_parts(encoder & e, const operands & o, args::conv_args a, const cut & c, uint64_t channels, uint64_t taps) {
    const uint64_t all_places   = round_up_division(a.n, c.places);
    const uint64_t all_channels = round_up_division(channels, c.channels);
    const uint64_t group_work   = std::max<uint64_t>(c.places * c.channels * taps, 1);
    const uint64_t budget       = std::max<uint64_t>(max_dispatch_work / group_work, 1);

    uint64_t n_places = std::min(all_places, budget);
    if (n_places > grid_row) {
        n_places -= n_places % grid_row;  // whole rows of groups: nothing runs over into the next part
    }
    const uint64_t n_channels = std::min({ all_channels, max_grid_side, std::max<uint64_t>(budget / n_places, 1) });

    for (uint64_t channel = 0; channel < all_channels; channel += n_channels) {
        for (uint64_t place = 0; place < all_places; place += n_places) {
            const uint64_t xy = std::min(n_places, all_places - place);
            const uint64_t x  = std::min<uint64_t>(xy, grid_row);
            const uint64_t z  = std::min(n_channels, all_channels - channel);

            a.first         = uint32_t(place * c.places);
            a.first_channel = uint32_t(channel * c.channels);
            if (place > 0 || channel > 0) {
                e.read(o.weights);
                e.read(o.src);
                e.write(o.dst);
            }
            if (!e.dispatch(c.kernel, a, x, round_up_division(xy, x), z, xy * z * group_work)) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace

bool encode_conv(encoder & e, const ggml_tensor * dst) {
    const operands o(dst);
    const bool     is_3d    = dst->op == GGML_OP_CONV_3D;
    const int32_t  channels = is_3d ? dst->op_params[9] : int32_t(dst->ne[2]);
    const int32_t  filters  = is_3d ? dst->op_params[11] : int32_t(dst->ne[2]);
    if (!o.have_types() || channels < 1 || filters < 1) {
        return false;
    }

    const auto volume = [&](const args::tensor_args & t, int32_t n) {
        return is_3d ? as_volume_3d(t, uint32_t(n)) : as_volume(t, axes_2d);
    };

    args::conv_args a{};
    a.weights = volume(e.read(o.weights), channels);
    a.src     = volume(e.read(o.src), channels);
    a.dst     = volume(e.write(o.dst), filters);
    a.window  = window_of(dst, is_3d ? 3 : 2);
    set_taps(a);
    a.n              = a.dst.ne[0] * a.dst.ne[1] * a.dst.ne[2] * a.dst.batches;
    a.inner_channels = channels_are_inner(a.src);
    if (!is_consistent(a)) {
        return false;
    }

    cut c;
    if (a.dst.ne[3] >= min_tile_channels && ggml_is_contiguous(dst)) {
        c = { "conv_tile." + o.type, tile, tile };
    } else {
        const uint64_t at_once = a.dst.ne[3] < 4 ? 1 : 4;
        c                      = { "conv." + o.type + "." + std::to_string(at_once), group_size, at_once };
    }
    const uint64_t taps = uint64_t(a.window.ne[0]) * a.window.ne[1] * a.window.ne[2] * a.src.ne[3];
    return can_loop_over(e, taps, a.src.ne[3]) && encode_parts(e, o, a, c, a.dst.ne[3], taps);
}

bool encode_conv_2d_dw(encoder & e, const ggml_tensor * dst) {
    const operands o(dst);
    if (!o.have_types()) {
        return false;
    }
    args::conv_args a{};
    a.weights        = as_volume(e.read(o.weights), axes_2d);
    a.src            = as_volume(e.read(o.src), axes_2d);
    a.dst            = as_volume(e.write(o.dst), axes_2d);
    a.window         = window_of(dst, 2);
    a.n              = uint32_t(ggml_nelements(dst));
    a.inner_channels = channels_are_inner(a.dst);
    set_taps(a);
    if (a.weights.ne[3] != 1 || a.weights.batches != a.src.ne[3] || a.dst.ne[3] != a.src.ne[3] || a.dst.batches != a.src.batches ||
        !can_loop_over(e, uint64_t(a.window.ne[0]) * a.window.ne[1], 1)) {
        return false;
    }
    return e.dispatch_linear("conv_dw." + o.type, a, round_up_division(a.n, group_size), uint64_t(a.n) * a.window.ne[0] * a.window.ne[1]);
}

bool encode_conv_transpose(encoder & e, const ggml_tensor * dst) {
    const operands o(dst);
    const bool     is_1d = dst->op == GGML_OP_CONV_TRANSPOSE_1D;
    if (!o.have_types() || dst->op_params[0] < 1) {
        return false;
    }

    // Filters have the output's channels before the input's.
    const volume_axes weights_axes = is_1d ? volume_axes{ 0, no_axis, no_axis, 2, 1 } : volume_axes{ 0, 1, no_axis, 3, 2 };
    const volume_axes image_axes   = is_1d ? axes_1d : axes_2d;

    args::conv_args a{};
    a.weights       = as_volume(e.read(o.weights), weights_axes);
    a.src           = as_volume(e.read(o.src), image_axes);
    a.dst           = as_volume(e.write(o.dst), image_axes);
    a.window.stride = { dst->op_params[0], is_1d ? 1 : dst->op_params[0], 1, 1 };
    a.n             = uint32_t(ggml_nelements(dst));
    set_taps(a);
    if (!is_consistent(a)) {
        return false;
    }
    const uint64_t reach =
        round_up_division(a.window.ne[0], uint64_t(a.window.stride[0])) * round_up_division(a.window.ne[1], uint64_t(a.window.stride[1]));
    const uint64_t taps = reach * a.src.ne[3];
    return can_loop_over(e, taps, a.src.ne[3]) && encode_parts(e, o, a, { "conv_transpose." + o.type, group_size, 1 }, 1, taps);
}

}  // namespace ggml_directx
