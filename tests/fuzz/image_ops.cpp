#include "graph_ops.h"

namespace {

// Strides, paddings, dilations, taps and sides of width, height and depth
struct window {
    std::array<int, 3>     s{};
    std::array<int, 3>     p{};
    std::array<int, 3>     d{};
    std::array<int, 3>     k{};
    std::array<int64_t, 3> n{};

    explicit window(random_graph & g) {
        for (size_t i = 0; i < s.size(); ++i) {
            s[i] = g.between(1, 3);
            d[i] = g.between(1, 3);
            k[i] = g.between(1, 5);
            p[i] = g.between(0, k[i] / 2);
            n[i] = (k[i] - 1) * d[i] + g.between(1, 21);
        }
    }

    int64_t out(size_t i) const { return (n[i] + 2 * p[i] - d[i] * (k[i] - 1) - 1) / s[i] + 1; }
};

struct counts {
    int64_t channels;
    int64_t filters;
    int64_t batches;

    explicit counts(random_graph & g)
        : channels(g.between(1, 9)), filters(g.one_in(3) ? g.between(16, 80) : g.between(1, 15)), batches(g.between(1, 3)) {}
};

constexpr ggml_type filter_types[] = { GGML_TYPE_F32, GGML_TYPE_F16 };
constexpr ggml_type column_types[] = { GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16 };

ggml_op_pool some_pool(random_graph & g) {
    return g.one_in(2) ? GGML_OP_POOL_MAX : GGML_OP_POOL_AVG;
}

ggml_tensor * conv_2d(random_graph & g, ggml_type type) {
    const window w(g);
    const counts c(g);
    return ggml_conv_2d_direct(g.ctx(), g.image(type, { w.k[0], w.k[1], c.channels, c.filters }),
                               g.image(GGML_TYPE_F32, { w.n[0], w.n[1], c.channels, c.batches }), w.s[0], w.s[1], w.p[0], w.p[1], w.d[0],
                               w.d[1]);
}

ggml_tensor * conv_2d_dw(random_graph & g, ggml_type type) {
    const window w(g);
    const counts c(g);
    return ggml_conv_2d_dw_direct(g.ctx(), g.input(type, { w.k[0], w.k[1], 1, c.channels }),
                                  g.operand({ w.n[0], w.n[1], c.channels, c.batches }), w.s[0], w.s[1], w.p[0], w.p[1], w.d[0], w.d[1]);
}

ggml_tensor * conv_3d(random_graph & g, ggml_type type) {
    const window  w(g);
    const counts  c(g);
    ggml_tensor * filters = g.input(type, { w.k[0], w.k[1], w.k[2], c.channels * c.filters });
    ggml_tensor * volume  = g.operand({ w.n[0], w.n[1], w.n[2], c.channels * c.batches });
    return ggml_conv_3d_direct(g.ctx(), filters, volume, w.s[0], w.s[1], w.s[2], w.p[0], w.p[1], w.p[2], w.d[0], w.d[1], w.d[2],
                               int(c.channels), int(c.batches), int(c.filters));
}

ggml_tensor * conv_transpose_1d(random_graph & g, ggml_type type) {
    const window w(g);
    const counts c(g);
    return ggml_conv_transpose_1d(g.ctx(), g.input(type, { w.k[0], c.filters, c.channels, 1 }), g.operand({ w.n[0], c.channels, 1, 1 }),
                                  w.s[0], 0, 1);
}

ggml_tensor * conv_transpose_2d(random_graph & g, ggml_type type) {
    const window w(g);
    const counts c(g);
    return ggml_conv_transpose_2d_p0(g.ctx(), g.input(type, { w.k[0], w.k[1], c.filters, c.channels }),
                                     g.operand({ w.n[0], w.n[1], c.channels, c.batches }), w.s[0]);
}

ggml_tensor * im2col(random_graph & g) {
    const window    w(g);
    const counts    c(g);
    const ggml_type type = g.one_of(filter_types);
    if (g.one_in(2)) {
        return ggml_im2col(g.ctx(), g.input(type, { w.k[0], w.k[1], c.channels, c.filters }),
                           g.operand({ w.n[0], w.n[1], c.channels, c.batches }), w.s[0], w.s[1], w.p[0], w.p[1], w.d[0], w.d[1], true,
                           type);
    }
    return ggml_im2col(g.ctx(), g.input(type, { w.k[0], c.channels, c.filters, 1 }), g.operand({ w.n[0], c.channels, c.batches, 1 }),
                       w.s[0], 0, w.p[0], 0, w.d[0], 0, false, type);
}

ggml_tensor * im2col_3d(random_graph & g) {
    const window    w(g);
    const counts    c(g);
    const ggml_type type = g.one_of(filter_types);
    return ggml_im2col_3d(g.ctx(), g.input(type, { w.k[0], w.k[1], w.k[2], c.channels * 2 }),
                          g.operand({ w.n[0], w.n[1], w.n[2], c.channels * c.batches }), c.channels, w.s[0], w.s[1], w.s[2], w.p[0], w.p[1],
                          w.p[2], w.d[0], w.d[1], w.d[2], type);
}

ggml_tensor * im2col_back(random_graph & g) {
    const window  w(g);
    const counts  c(g);
    shape         ne      = { w.n[0], w.n[1], c.channels, c.batches };
    ggml_tensor * columns = g.operand({ w.k[0] * w.k[1] * c.channels, w.out(0), w.out(1), c.batches });
    return ggml_im2col_back(g.ctx(), columns, g.input(g.one_of(filter_types), { w.k[0], w.k[1], c.channels, c.filters }), ne.data(), w.s[0],
                            w.s[1], w.p[0], w.p[1], w.d[0], w.d[1], true);
}

ggml_tensor * col2im_1d(random_graph & g) {
    const window    w(g);
    const counts    c(g);
    const ggml_type type    = g.one_of(column_types);
    const shape     ne      = { w.k[0] * c.filters, w.n[0], 1, 1 };
    const int64_t   length  = (w.n[0] - 1) * w.s[0] + w.k[0];
    const int       padding = int(std::min<int64_t>(w.p[0], (length - 1) / 2));
    return ggml_col2im_1d(g.ctx(), type == GGML_TYPE_F32 ? g.operand(ne) : g.input(type, ne), w.s[0], int(c.filters), padding);
}

ggml_tensor * pool_1d(random_graph & g) {
    const window    w(g);
    const ggml_type type = g.one_of(filter_types);
    const shape     ne   = { w.n[0], g.between(1, 9), g.between(1, 3), g.between(1, 2) };
    return ggml_pool_1d(g.ctx(), type == GGML_TYPE_F32 ? g.operand(ne) : g.input(type, ne), some_pool(g), w.k[0], w.s[0], w.p[0]);
}

ggml_tensor * pool_2d(random_graph & g) {
    const window    w(g);
    const counts    c(g);
    const ggml_type type = g.one_of(filter_types);
    const shape     ne   = { w.n[0], w.n[1], c.channels, c.batches };
    return ggml_pool_2d(g.ctx(), type == GGML_TYPE_F32 ? g.operand(ne) : g.input(type, ne), some_pool(g), w.k[0], w.k[1], w.s[0], w.s[1],
                        float(w.p[0]), float(w.p[1]));
}

ggml_tensor * pool_2d_back(random_graph & g) {
    const window  w(g);
    const counts  c(g);
    ggml_tensor * forward = g.input(GGML_TYPE_F32, { w.n[0], w.n[1], c.channels, c.batches });
    const auto    pooled  = [&](size_t i) { return (w.n[i] + 2 * w.p[i] - w.k[i]) / w.s[i] + 1; };
    return ggml_pool_2d_back(g.ctx(), g.operand({ pooled(0), pooled(1), c.channels, c.batches }), forward, some_pool(g), w.k[0], w.k[1],
                             w.s[0], w.s[1], float(w.p[0]), float(w.p[1]));
}

ggml_tensor * upscale(random_graph & g) {
    constexpr uint32_t modes[] = {
        GGML_SCALE_MODE_NEAREST,
        GGML_SCALE_MODE_BILINEAR,
        GGML_SCALE_MODE_BICUBIC,
        uint32_t(GGML_SCALE_MODE_BILINEAR) | GGML_SCALE_FLAG_ALIGN_CORNERS,
        uint32_t(GGML_SCALE_MODE_BICUBIC) | GGML_SCALE_FLAG_ALIGN_CORNERS,
        uint32_t(GGML_SCALE_MODE_BILINEAR) | GGML_SCALE_FLAG_ANTIALIAS,
    };
    const shape ne = { g.between(2, 20), g.between(2, 20), g.between(1, 4), g.between(1, 2) };
    return ggml_interpolate(g.ctx(), g.strided(ne), g.between(2, 50), g.between(2, 50), ne[2] * g.between(1, 2), ne[3],
                            modes[g.below(std::size(modes))]);
}

}  // namespace

void add_image_ops(std::vector<graph_op> & ops) {
    for (const ggml_type type : filter_types) {
        // The CPU rounds images to halves where the filters are.
        const double limit = type == GGML_TYPE_F16 ? product_limit : plain_limit;
        const auto   add   = [&](const char * name, ggml_tensor * (*make)(random_graph &, ggml_type)) {
            ops.push_back({ name, limit, [=](random_graph & g) { return make(g, type); } });
        };
        add("CONV_2D", conv_2d);
        add("CONV_2D_DW", conv_2d_dw);
        add("CONV_3D", conv_3d);
        add("CONV_TRANSPOSE_1D", conv_transpose_1d);
        add("CONV_TRANSPOSE_2D", conv_transpose_2d);
    }
    ops.push_back({ "IM2COL", exact, im2col });
    ops.push_back({ "IM2COL_3D", exact, im2col_3d });
    ops.push_back({ "IM2COL_BACK", plain_limit, im2col_back });
    ops.push_back({ "COL2IM_1D", plain_limit, col2im_1d });
    ops.push_back({ "POOL_1D", plain_limit, pool_1d });
    ops.push_back({ "POOL_2D", plain_limit, pool_2d });
    ops.push_back({ "POOL_2D_BACK", plain_limit, pool_2d_back });
    ops.push_back({ "UPSCALE", plain_limit, upscale });
}
