#include "graph_ops.h"

namespace {

constexpr ggml_type cache_types[] = {
    GGML_TYPE_F16,  GGML_TYPE_F32,  GGML_TYPE_BF16, GGML_TYPE_Q8_0,   GGML_TYPE_Q4_0,
    GGML_TYPE_Q4_1, GGML_TYPE_Q5_0, GGML_TYPE_Q5_1, GGML_TYPE_IQ4_NL,
};

ggml_tensor * mul_mat(random_graph & g, ggml_type type) {
    const shape   ne    = g.some_shape();
    const int64_t rows  = g.between(1, 70);
    const int64_t heads = g.one_in(2) ? 1 : ne[2];
    const int64_t batch = g.one_in(2) ? 1 : ne[3];
    if (ggml_blck_size(type) > 1) {
        // blocks of 256 at most
        const int64_t length = 256 * int64_t(g.between(1, 2));
        return ggml_mul_mat(g.ctx(), g.input(type, { length, rows, heads, batch }), g.strided({ length, g.between(0, 20), ne[2], ne[3] }));
    }
    // any length, none even, and what lies permuted, as in attention
    ggml_tensor * weights = type == GGML_TYPE_F32 ? g.strided({ ne[0], rows, heads, batch })
                            : g.one_in(2)         ? g.input(type, { ne[0], rows, heads, batch })
                                                  : ggml_permute(g.ctx(), g.input(type, { ne[0], heads, rows, batch }), 0, 2, 1, 3);
    return ggml_mul_mat(g.ctx(), weights, g.strided(with(ne, 1, g.between(0, 40))));
}

ggml_tensor * mul_mat_id(random_graph & g) {
    const int64_t experts = g.between(1, 8);
    const int64_t used    = g.between(1, int(experts));
    const int64_t tokens  = g.between(1, 40);
    return ggml_mul_mat_id(g.ctx(), g.input(g.one_of(weight_types), { 256, g.between(1, 40), experts, 1 }),
                           g.operand({ 256, g.one_in(2) ? 1 : used, tokens, 1 }), g.indices({ used, tokens, 1, 1 }, experts, true));
}

ggml_tensor * mul_mat_hadamard(random_graph & g) {
    const int64_t n      = int64_t(32) << g.below(6);
    ggml_tensor * result = ggml_mul_mat(g.ctx(), g.hadamard(n), g.operand({ n, g.between(1, 20), g.between(1, 2), 1 }));
    ggml_mul_mat_set_hint(result, GGML_HINT_SRC0_IS_HADAMARD);
    return result;
}

ggml_tensor * out_prod(random_graph & g) {
    const ggml_type type   = g.one_in(2) ? GGML_TYPE_F32 : g.one_of(weight_types);
    const shape     ne     = g.some_shape();
    const int64_t   length = 256;
    if (ggml_is_quantized(type)) {
        return ggml_out_prod(g.ctx(), g.input(type, with(ne, 0, length)), g.operand(ne));
    }
    return ggml_out_prod(g.ctx(), g.strided(with(ne, 0, g.between(1, 30))), g.strided(ne));
}

ggml_tensor * flash_attn(random_graph & g) {
    const ggml_type k_type  = g.one_of(cache_types);
    const ggml_type v_type  = g.one_in(3) ? g.one_of(cache_types) : k_type;
    const int64_t   size    = 32 * int64_t(g.between(1, 4));
    const int64_t   heads   = g.between(1, 3);
    const int64_t   columns = g.between(1, 90);
    const int64_t   queries = g.between(1, 12);
    // heads side by side in memory, as in a cache, now and then
    const auto cache = [&](ggml_type type) {
        return g.one_in(2) ? g.input(type, { size, columns, heads, 1 })
                           : ggml_permute(g.ctx(), g.input(type, { size, heads, columns, 1 }), 0, 2, 1, 3);
    };
    ggml_tensor * mask   = g.one_in(2) ? nullptr : g.input(GGML_TYPE_F16, { columns, queries, 1, 1 });
    ggml_tensor * q      = g.strided({ size, queries, heads * g.between(1, 3), 1 });
    ggml_tensor * result = ggml_flash_attn_ext(g.ctx(), q, cache(k_type), cache(v_type), mask, 0.2f, mask && g.one_in(3) ? 8.0f : 0.0f,
                                               g.one_in(2) ? 0.0f : 10.0f);
    if (g.one_in(3)) {
        ggml_flash_attn_ext_add_sinks(result, g.input(GGML_TYPE_F32, { q->ne[2], 1, 1, 1 }, -4.0f, 4.0f));
    }
    return result;
}

}  // namespace

void add_product_ops(std::vector<graph_op> & ops) {
    for (const ggml_type type : weight_types) {
        ops.push_back({ "MUL_MAT", product_limit, [=](random_graph & g) { return mul_mat(g, type); } });
    }
    ops.push_back({ "MUL_MAT_ID", product_limit, mul_mat_id });
    ops.push_back({ "MUL_MAT_HADAMARD", plain_limit, mul_mat_hadamard });
    ops.push_back({ "OUT_PROD", plain_limit, out_prod });
    ops.push_back({ "FLASH_ATTN_EXT", product_limit, flash_attn });
}
