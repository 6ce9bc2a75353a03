// The ops with a recurrent state and their company, with sizes that ggml's own suite does not draw: not a multiple of four,
// too many for registers, more tokens than a dispatch takes.

#include "graph_ops.h"

#include <algorithm>
#include <cmath>

namespace {

int64_t state_size(random_graph & g) {
    return g.one_of({ 1, 3, 4, 16, 20, 37, 64, 80, 100, 128, 130, 192, 256, 300 });
}

int64_t token_count(random_graph & g) {
    return g.one_of({ 1, 5, 33, 33, 400 });
}

ggml_tensor * in(random_graph & g, float low, float high, int64_t ne0, int64_t ne1 = 1, int64_t ne2 = 1, int64_t ne3 = 1) {
    return g.input(GGML_TYPE_F32, { ne0, ne1, ne2, ne3 }, low, high);
}

ggml_tensor * ssm_conv(random_graph & g) {
    const int64_t taps = g.one_of({ 1, 2, 3, 4, 5, 9 });
    const int64_t rows = g.one_of({ 1, 5, 64, 100 });
    return ggml_ssm_conv(g.ctx(), g.operand({ taps - 1 + token_count(g), rows, g.between(1, 3), 1 }), in(g, -1, 1, taps, rows));
}

ggml_tensor * ssm_scan(random_graph & g) {
    const int64_t states    = state_size(g);
    const bool    mamba1    = g.one_in(3);
    const int64_t dim       = mamba1 ? 1 : g.one_of({ 1, 5, 32, 40 });
    const int64_t groups    = g.between(1, 3);
    const int64_t heads     = groups * g.one_of({ 1, 3, 17 });
    const int64_t tokens    = token_count(g);
    const int64_t sequences = g.between(1, 3);

    ggml_tensor * s   = in(g, -1, 1, states, dim, heads, sequences);
    ggml_tensor * x   = in(g, -1, 1, dim, heads, tokens, sequences);
    ggml_tensor * dt  = in(g, -3, 1, heads, tokens, sequences);
    ggml_tensor * a   = in(g, -1, -0.1f, mamba1 ? states : 1, heads);
    ggml_tensor * b   = in(g, -1, 1, states, groups, tokens, sequences);
    ggml_tensor * c   = in(g, -1, 1, states, groups, tokens, sequences);
    ggml_tensor * ids = g.indices({ sequences, 1, 1, 1 }, sequences, true);
    return ggml_ssm_scan(g.ctx(), s, x, dt, a, b, c, ids, mamba1 ? 1 : std::min(tokens, g.one_of({ 1, 2, 4 })));
}

ggml_tensor * gated_delta_net(random_graph & g) {
    const int64_t size      = state_size(g);
    const int64_t q_heads   = g.between(1, 2);
    const int64_t heads     = q_heads * g.between(1, 3);
    const int64_t tokens    = token_count(g);
    const int64_t sequences = g.between(1, 2);
    const float   unit      = 1.0f / std::sqrt(float(size));

    ggml_tensor * q     = in(g, -unit, unit, size, q_heads, tokens, sequences);
    ggml_tensor * k     = in(g, -unit, unit, size, q_heads, tokens, sequences);
    ggml_tensor * v     = in(g, -1, 1, size, heads, tokens, sequences);
    ggml_tensor * gate  = in(g, -2, 0, g.one_in(2) ? 1 : size, heads, tokens, sequences);
    ggml_tensor * beta  = in(g, 0, 1, 1, heads, tokens, sequences);
    ggml_tensor * state = in(g, -1, 1, size, size, heads, sequences);
    return ggml_gated_delta_net(g.ctx(), q, k, v, gate, beta, state, std::min(tokens, g.one_of({ 1, 1, 2, 4 })));
}

// The sources that GATED_LINEAR_ATTN, RWKV_WKV6 and RWKV_WKV7 have alike.
struct rows {
    random_graph & g;
    int64_t        size;
    int64_t        heads     = g.between(1, 3);
    int64_t        tokens    = token_count(g);
    int64_t        sequences = g.between(1, 2);

    ggml_tensor * input(float low, float high) const { return in(g, low, high, size, heads, tokens * sequences); }
    ggml_tensor * state() const { return in(g, -1, 1, size * size * heads, sequences); }
};

ggml_tensor * gated_linear_attn(random_graph & g) {
    const rows    r     = { .g = g, .size = state_size(g) };
    ggml_tensor * k     = r.input(-1, 1);
    ggml_tensor * v     = r.input(-1, 1);
    ggml_tensor * q     = r.input(-1, 1);
    ggml_tensor * gate  = r.input(0.5f, 1);
    ggml_tensor * state = r.state();
    return ggml_gated_linear_attn(g.ctx(), k, v, q, gate, state, 0.3f);
}

ggml_tensor * rwkv_wkv6(random_graph & g) {
    const rows    r     = { .g = g, .size = state_size(g) };
    ggml_tensor * k     = r.input(-1, 1);
    ggml_tensor * v     = r.input(-1, 1);
    ggml_tensor * q     = r.input(-1, 1);
    ggml_tensor * bonus = in(g, -1, 1, r.size, r.heads);
    ggml_tensor * decay = r.input(0.5f, 1);
    ggml_tensor * state = r.state();
    return ggml_rwkv_wkv6(g.ctx(), k, v, q, bonus, decay, state);
}

ggml_tensor * rwkv_wkv7(random_graph & g) {
    // The CPU's vector code takes nothing else.
    const rows    r     = { .g = g, .size = g.one_of({ 64, 128, 192, 256, 320 }) };
    const float   unit  = 1.0f / std::sqrt(float(r.size));
    ggml_tensor * q     = r.input(-1, 1);
    ggml_tensor * decay = r.input(0.2f, 0.9f);
    ggml_tensor * k     = r.input(-1, 1);
    ggml_tensor * v     = r.input(-1, 1);
    ggml_tensor * a     = r.input(-unit, unit);
    ggml_tensor * b     = r.input(-unit, unit);
    ggml_tensor * state = r.state();
    return ggml_rwkv_wkv7(g.ctx(), q, decay, k, v, a, b, state);
}

// What lies above the diagonal is anything: it must not be looked at. The diagonal itself stays clear of zero.
ggml_tensor * solve_tri(random_graph & g) {
    const int64_t n = g.one_of({ 1, 3, 8, 63, 64, 65, 128, 130, 300 });
    ggml_tensor * a = in(g, 0.5f / float(n), 1.0f / float(n), n, n, g.one_of({ 1, 3 }), g.between(1, 2));
    return ggml_solve_tri(g.ctx(), a, g.operand({ g.one_of({ 1, 5, 16, 17, 70 }), n, a->ne[2], a->ne[3] }), true, true, false);
}

ggml_tensor * lightning_indexer(random_graph & g) {
    constexpr ggml_type types[] = { GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16, GGML_TYPE_Q8_0, GGML_TYPE_Q5_1, GGML_TYPE_Q4_K };
    const ggml_type     type    = g.one_of(types);
    const int64_t       size    = type == GGML_TYPE_Q4_K    ? 256
                                  : ggml_is_quantized(type) ? g.one_of({ 32, 96, 128, 160 })
                                                            : g.one_of({ 1, 5, 8, 31, 64, 128, 130, 200, 300 });
    const int64_t       heads   = g.one_of({ 1, 3, 4, 9, 64 });
    const int64_t       tokens  = g.one_of({ 1, 2, 5, 17, 40 });
    const int64_t       columns = g.one_of({ 1, 7, 33, 100 });
    const int64_t       streams = g.between(1, 2);

    ggml_tensor * q = g.operand({ size, heads, tokens, streams });
    ggml_tensor * k = g.input(type, { size, 1, columns, streams });
    ggml_tensor * w = g.operand({ heads, tokens, 1, streams });
    ggml_tensor * m = g.input(GGML_TYPE_F16, { columns, tokens, 1, g.one_of({ 1, streams }) });
    return ggml_lightning_indexer(g.ctx(), q, k, w, m);
}

int64_t stream_count(random_graph & g) {
    return g.one_of({ 1, 2, 4, 5, 9 });
}

ggml_tensor * hyper_connection_pre(random_graph & g) {
    const int64_t streams = stream_count(g);
    const int64_t tokens  = g.one_of({ 1, 3, 70 });
    return ggml_dsv4_hc_pre(g.ctx(), g.operand({ g.one_of({ 1, 31, 64, 257 }), streams, tokens, 1 }), in(g, 0, 1, streams, tokens));
}

ggml_tensor * hyper_connection_post(random_graph & g) {
    const int64_t size    = g.one_of({ 1, 31, 64, 257 });
    const int64_t streams = stream_count(g);
    const int64_t tokens  = g.one_of({ 1, 3, 70 });
    return ggml_dsv4_hc_post(g.ctx(), g.operand({ size, tokens, 1, 1 }), g.operand({ size, streams, tokens, 1 }),
                             in(g, 0, 2, streams, tokens), in(g, 0, 1, streams, streams, tokens));
}

ggml_tensor * hyper_connection_comb(random_graph & g) {
    return ggml_dsv4_hc_comb(g.ctx(), in(g, -2, 2, 24, g.one_of({ 1, 3, 70 })), in(g, -1, 1, 3), in(g, -1, 1, 24), 1e-6f, 5);
}

}  // namespace

void add_recurrent_ops(std::vector<graph_op> & ops) {
    ops.push_back({ "SSM_CONV", plain_limit, ssm_conv });
    ops.push_back({ "SSM_SCAN", plain_limit, ssm_scan });
    ops.push_back({ "GATED_DELTA_NET", plain_limit, gated_delta_net });
    ops.push_back({ "GATED_LINEAR_ATTN", plain_limit, gated_linear_attn });
    ops.push_back({ "RWKV_WKV6", plain_limit, rwkv_wkv6 });
    ops.push_back({ "RWKV_WKV7", plain_limit, rwkv_wkv7 });
    ops.push_back({ "SOLVE_TRI", plain_limit, solve_tri });
    ops.push_back({ "LIGHTNING_INDEXER", plain_limit, lightning_indexer });
    ops.push_back({ "DSV4_HC_PRE", plain_limit, hyper_connection_pre });
    ops.push_back({ "DSV4_HC_POST", plain_limit, hyper_connection_post });
    ops.push_back({ "DSV4_HC_COMB", plain_limit, hyper_connection_comb });
}
