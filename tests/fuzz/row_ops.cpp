#include "graph_ops.h"

namespace {

// A rotation or its gradient, in any of the modes.
ggml_tensor * rope(random_graph & g, decltype(&ggml_rope_ext) plain, decltype(&ggml_rope_multi) multi) {
    constexpr int modes[] = { GGML_ROPE_TYPE_NORMAL, GGML_ROPE_TYPE_NEOX, GGML_ROPE_TYPE_MROPE, GGML_ROPE_TYPE_IMROPE,
                              GGML_ROPE_TYPE_VISION };
    const int     mode    = modes[g.below(std::size(modes))];
    const bool    vision  = mode == GGML_ROPE_TYPE_VISION;
    const bool    many    = (mode & GGML_ROPE_TYPE_MROPE) != 0;
    const int     half    = many ? 2 * g.between(1, 20) : g.between(1, 40);
    const int     n_dims  = vision ? half : 2 * half;  // VISION rotates all of the row
    const int64_t length  = 2 * half + (vision ? 0 : 2 * g.between(0, 3));
    const shape   ne      = with(g.some_shape(), 0, length);
    ggml_tensor * a       = g.strided(ne);
    ggml_tensor * at      = g.indices({ many ? 4 * ne[2] : ne[2], 1, 1, 1 }, 300);
    ggml_tensor * factors = g.one_in(2) ? nullptr : g.input(GGML_TYPE_F32, { half, 1, 1, 1 }, 0.9f, 1.1f);
    const float   extend  = g.one_in(2) ? 0.0f : 0.7f;
    if (many) {
        const int quarter                 = half / 2;  // together no more than the CPU takes
        int sections[GGML_MROPE_SECTIONS] = { g.between(1, quarter), g.between(0, quarter), g.between(0, quarter), g.between(0, quarter) };
        return multi(g.ctx(), a, at, factors, n_dims, sections, mode, 64, 10000.0f, 1.0f, extend, 1.0f, 32.0f, 1.0f);
    }
    return plain(g.ctx(), a, at, factors, n_dims, mode, 64, 10000.0f, 1.0f, extend, 1.0f, 32.0f, 1.0f);
}

}  // namespace

void add_row_ops(std::vector<graph_op> & ops) {
    ops.push_back({ "SUM", plain_limit, [](random_graph & g) { return ggml_sum(g.ctx(), g.input(GGML_TYPE_F32, g.some_shape(), 0, 1)); } });
    ops.push_back({ "SUM_ROWS", plain_limit, [](random_graph & g) { return ggml_sum_rows(g.ctx(), g.strided(g.some_shape_or_empty())); } });
    ops.push_back({ "MEAN", plain_limit, [](random_graph & g) { return ggml_mean(g.ctx(), g.strided(g.some_shape_or_empty())); } });
    ops.push_back({ "CUMSUM", plain_limit, [](random_graph & g) { return ggml_cumsum(g.ctx(), g.strided(g.some_shape_or_empty())); } });
    ops.push_back({ "ARGMAX", exact, [](random_graph & g) {
                       const shape ne = g.some_shape();
                       return ggml_argmax(g.ctx(), g.distinct({ ne[0], ne[1] * ne[2], 1, 1 }));
                   } });
    ops.push_back({ "ARGSORT", exact, [](random_graph & g) {
                       return ggml_argsort(g.ctx(), g.distinct(g.some_shape()), g.one_in(2) ? GGML_SORT_ORDER_ASC : GGML_SORT_ORDER_DESC);
                   } });
    ops.push_back({ "TOP_K", plain_limit, [](random_graph & g) {
                       // In no order: the sum of their squares tells whether they are the right ones.
                       const shape   ne     = g.some_shape();
                       ggml_tensor * a      = g.distinct({ ne[0], ne[1], 1, 1 });
                       ggml_tensor * top    = ggml_top_k(g.ctx(), a, g.between(1, int(ne[0])));
                       ggml_tensor * picked = ggml_get_rows(g.ctx(), ggml_reshape_3d(g.ctx(), a, 1, ne[0], ne[1]), top);
                       return ggml_sum(g.ctx(), ggml_sqr(g.ctx(), picked));
                   } });
    ops.push_back({ "COUNT_EQUAL", exact, [](random_graph & g) {
                       // The CPU finds the rows of two dimensions only.
                       const shape ne = with(with(g.some_shape(), 2, 1), 3, 1);
                       return ggml_count_equal(g.ctx(), g.indices(ne, 3), g.indices(ne, 3));
                   } });
    ops.push_back({ "NORM", plain_limit, [](random_graph & g) { return ggml_norm(g.ctx(), g.strided(g.some_shape_or_empty()), 1e-2f); } });
    ops.push_back(
        { "RMS_NORM", plain_limit, [](random_graph & g) { return ggml_rms_norm(g.ctx(), g.strided(g.some_shape_or_empty()), 1e-2f); } });
    ops.push_back(
        { "L2_NORM", plain_limit, [](random_graph & g) { return ggml_l2_norm(g.ctx(), g.strided(g.some_shape_or_empty()), 1e-2f); } });
    ops.push_back({ "GROUP_NORM", plain_limit, [](random_graph & g) {
                       const shape ne = g.some_shape();
                       return ggml_group_norm(g.ctx(), g.operand(with(ne, 2, g.between(1, 12))), g.between(1, 4), 1e-2f);
                   } });
    ops.push_back({ "SOFT_MAX", 1e-6, [](random_graph & g) {
                       const shape   ne   = g.some_shape();
                       const bool    half = g.one_in(2);
                       ggml_tensor * mask = g.one_in(3) ? nullptr
                                                        : g.input(half ? GGML_TYPE_F16 : GGML_TYPE_F32,
                                                                  { ne[0], ne[1], g.one_in(2) ? 1 : ne[2], g.one_in(2) ? 1 : ne[3] });
                       return ggml_soft_max_ext(g.ctx(), g.operand(ne), mask, 0.7f, mask && g.one_in(2) ? 8.0f : 0.0f);
                   } });
    ops.push_back({ "ROPE", plain_limit, [](random_graph & g) { return rope(g, ggml_rope_ext, ggml_rope_multi); } });
    ops.push_back({ "ROPE_BACK", plain_limit, [](random_graph & g) { return rope(g, ggml_rope_ext_back, ggml_rope_multi_back); } });
    ops.push_back({ "DIAG", exact, [](random_graph & g) { return ggml_diag(g.ctx(), g.operand(with(g.some_shape(), 1, 1))); } });
    ops.push_back({ "DIAG_MASK_INF", plain_limit, [](random_graph & g) {
                       const shape ne = g.some_shape();
                       return ggml_diag_mask_inf(g.ctx(), g.operand(ne), g.between(0, int(ne[0]) - 1));
                   } });
    ops.push_back({ "DIAG_MASK_ZERO", exact, [](random_graph & g) {
                       const shape ne = g.some_shape();
                       return ggml_diag_mask_zero(g.ctx(), g.operand(ne), g.between(0, int(ne[0]) - 1));
                   } });
    ops.push_back({ "TRI", exact, [](random_graph & g) {
                       const shape ne = g.some_shape();
                       return ggml_tri(g.ctx(), g.operand(with(ne, 1, ne[0])), ggml_tri_type(g.below(4)));
                   } });
    ops.push_back({ "TIMESTEP_EMBEDDING", plain_limit, [](random_graph & g) {
                       return ggml_timestep_embedding(g.ctx(), g.operand({ g.between(1, 9), 1, 1, 1 }), g.between(1, 40), 1000);
                   } });
}
