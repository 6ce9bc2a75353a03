// The ops with a recurrent state and their company (SOLVE_TRI, LIGHTNING_INDEXER, DSV4_HC_*) with sizes that ggml's own suite
// does not draw: not a multiple of four, too many for registers, more tokens than a dispatch takes.

#include "fuzz.h"

#include "ggml-backend.h"
#include "ggml-cpp.h"
#include "ggml.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace {

// One op and its inputs; the same for every backend that gets the same seed.
class recurrence {
public:
    explicit recurrence(uint64_t seed) : random_(seed) {
        ctx_.reset(ggml_init({ .mem_size = ggml_tensor_overhead() * 16 + ggml_graph_overhead(), .mem_buffer = nullptr, .no_alloc = true }));
        switch (seed % 8) {
            case 0: ssm_scan(); break;
            case 1: gated_delta_net(); break;
            case 2: linear_attention(); break;
            case 3: wkv6(); break;
            case 4: wkv7(); break;
            case 5: solve_tri(); break;
            case 6: lightning_indexer(); break;
            default: hyper_connection(); break;
        }
        graph_ = ggml_new_graph(ctx_.get());
        ggml_build_forward_expand(graph_, result);
    }

    ggml_tensor * result;

    std::string describe() const {
        std::string text = ggml_op_name(result->op);
        for (const input & i : inputs_) {
            text += std::string(" ") + ggml_type_name(i.tensor->type) + "[";
            for (int d = 0; d < GGML_MAX_DIMS; ++d) {
                text += std::to_string(i.tensor->ne[d]) + (d + 1 < GGML_MAX_DIMS ? " " : "]");
            }
        }
        return text;
    }

    std::vector<float> run(ggml_backend_t backend) {
        const ggml_backend_buffer_ptr buffer(ggml_backend_alloc_ctx_tensors(ctx_.get(), backend));
        ggml_backend_buffer_clear(buffer.get(), 0);
        std::mt19937_64 values(0x5eed);
        for (const input & i : inputs_) {
            fill(i, values);
        }
        EXPECT_EQ(ggml_backend_graph_compute(backend, graph_), GGML_STATUS_SUCCESS);
        std::vector<float> data(ggml_nelements(result));
        ggml_backend_tensor_get(result, data.data(), 0, ggml_nbytes(result));
        return data;
    }

private:
    struct input {
        ggml_tensor * tensor;
        float         low;
        float         high;
    };

    uint64_t pick(uint64_t n) { return random_() % n; }
    int64_t  one_of(std::initializer_list<int64_t> choices) { return choices.begin()[pick(choices.size())]; }

    ggml_tensor * in(float low, float high, int64_t ne0, int64_t ne1 = 1, int64_t ne2 = 1, int64_t ne3 = 1,
                     ggml_type type = GGML_TYPE_F32) {
        ggml_tensor * t = ggml_new_tensor_4d(ctx_.get(), type, ne0, ne1, ne2, ne3);
        inputs_.push_back({ t, low, high });
        return t;
    }

    static void fill(const input & i, std::mt19937_64 & values) {
        const int64_t n = ggml_nelements(i.tensor);
        if (i.tensor->type == GGML_TYPE_I32) {
            std::vector<int32_t> order(n);
            for (int64_t k = 0; k < n; ++k) {
                order[k] = int32_t(n - 1 - k);
            }
            ggml_backend_tensor_set(i.tensor, order.data(), 0, ggml_nbytes(i.tensor));
            return;
        }
        std::vector<float> data(n);
        for (float & x : data) {
            x = i.low + (i.high - i.low) * float(values() % 20001) / 20000.0f;
        }
        if (i.tensor->type == GGML_TYPE_F32) {
            ggml_backend_tensor_set(i.tensor, data.data(), 0, ggml_nbytes(i.tensor));
            return;
        }
        std::vector<uint8_t> bytes(ggml_nbytes(i.tensor));
        ggml_quantize_chunk(i.tensor->type, data.data(), bytes.data(), 0, ggml_nrows(i.tensor), i.tensor->ne[0], nullptr);
        ggml_backend_tensor_set(i.tensor, bytes.data(), 0, bytes.size());
    }

    int64_t state_size() { return one_of({ 1, 3, 4, 16, 20, 37, 64, 80, 100, 128, 130, 192, 256, 300 }); }
    int64_t token_count() { return one_of({ 1, 5, 33, 400 }); }

    void ssm_scan() {
        const int64_t states    = state_size();
        const bool    mamba1    = pick(3) == 0;
        const int64_t dim       = mamba1 ? 1 : one_of({ 1, 5, 32, 40 });
        const int64_t groups    = one_of({ 1, 2, 3 });
        const int64_t heads     = groups * one_of({ 1, 3, 17 });
        const int64_t tokens    = token_count();
        const int64_t sequences = one_of({ 1, 2, 3 });

        ggml_tensor * s   = in(-1, 1, states, dim, heads, sequences);
        ggml_tensor * x   = in(-1, 1, dim, heads, tokens, sequences);
        ggml_tensor * dt  = in(-3, 1, heads, tokens, sequences);
        ggml_tensor * a   = in(-1, -0.1f, mamba1 ? states : 1, heads);
        ggml_tensor * b   = in(-1, 1, states, groups, tokens, sequences);
        ggml_tensor * c   = in(-1, 1, states, groups, tokens, sequences);
        ggml_tensor * ids = in(0, 0, sequences, 1, 1, 1, GGML_TYPE_I32);
        result            = ggml_ssm_scan(ctx_.get(), s, x, dt, a, b, c, ids, mamba1 ? 1 : std::min(tokens, one_of({ 1, 2, 4 })));
    }

    void gated_delta_net() {
        const int64_t size      = state_size();
        const int64_t q_heads   = one_of({ 1, 2 });
        const int64_t heads     = q_heads * one_of({ 1, 2, 3 });
        const int64_t tokens    = token_count();
        const int64_t sequences = one_of({ 1, 2 });
        const float   unit      = 1.0f / std::sqrt(float(size));

        ggml_tensor * q     = in(-unit, unit, size, q_heads, tokens, sequences);
        ggml_tensor * k     = in(-unit, unit, size, q_heads, tokens, sequences);
        ggml_tensor * v     = in(-1, 1, size, heads, tokens, sequences);
        ggml_tensor * g     = in(-2, 0, pick(2) ? 1 : size, heads, tokens, sequences);
        ggml_tensor * beta  = in(0, 1, 1, heads, tokens, sequences);
        ggml_tensor * state = in(-1, 1, size, size, heads, sequences);
        result              = ggml_gated_delta_net(ctx_.get(), q, k, v, g, beta, state, std::min(tokens, one_of({ 1, 1, 2, 4 })));
    }

    // The sources that GATED_LINEAR_ATTN, RWKV_WKV6 and RWKV_WKV7 have alike.
    struct rows {
        int64_t size;
        int64_t heads;
        int64_t tokens;
        int64_t sequences;
    };

    rows any_rows(int64_t size) { return { size, one_of({ 1, 2, 3 }), token_count(), one_of({ 1, 2 }) }; }

    ggml_tensor * row_input(const rows & r, float low, float high) { return in(low, high, r.size, r.heads, r.tokens * r.sequences); }

    ggml_tensor * row_state(const rows & r) { return in(-1, 1, r.size * r.size * r.heads, r.sequences); }

    void linear_attention() {
        const rows    r     = any_rows(state_size());
        ggml_tensor * k     = row_input(r, -1, 1);
        ggml_tensor * v     = row_input(r, -1, 1);
        ggml_tensor * q     = row_input(r, -1, 1);
        ggml_tensor * g     = row_input(r, 0.5f, 1);
        ggml_tensor * state = row_state(r);
        result              = ggml_gated_linear_attn(ctx_.get(), k, v, q, g, state, 0.3f);
    }

    void wkv6() {
        const rows    r     = any_rows(state_size());
        ggml_tensor * k     = row_input(r, -1, 1);
        ggml_tensor * v     = row_input(r, -1, 1);
        ggml_tensor * q     = row_input(r, -1, 1);
        ggml_tensor * bonus = in(-1, 1, r.size, r.heads);
        ggml_tensor * decay = row_input(r, 0.5f, 1);
        ggml_tensor * state = row_state(r);
        result              = ggml_rwkv_wkv6(ctx_.get(), k, v, q, bonus, decay, state);
    }

    void wkv7() {
        // The CPU's vector code takes nothing else.
        const rows    r     = any_rows(one_of({ 64, 128, 192, 256, 320 }));
        const float   unit  = 1.0f / std::sqrt(float(r.size));
        ggml_tensor * q     = row_input(r, -1, 1);
        ggml_tensor * decay = row_input(r, 0.2f, 0.9f);
        ggml_tensor * k     = row_input(r, -1, 1);
        ggml_tensor * v     = row_input(r, -1, 1);
        ggml_tensor * a     = row_input(r, -unit, unit);
        ggml_tensor * b     = row_input(r, -unit, unit);
        ggml_tensor * state = row_state(r);
        result              = ggml_rwkv_wkv7(ctx_.get(), q, decay, k, v, a, b, state);
    }

    // What lies above the diagonal is anything: it must not be looked at. The diagonal itself stays clear of zero.
    void solve_tri() {
        const int64_t n = one_of({ 1, 3, 8, 63, 64, 65, 128, 130, 300 });
        ggml_tensor * a = in(0.5f / float(n), 1.0f / float(n), n, n, one_of({ 1, 3 }), one_of({ 1, 2 }));
        ggml_tensor * b = in(-1, 1, one_of({ 1, 5, 16, 17, 70 }), n, a->ne[2], a->ne[3]);
        result          = ggml_solve_tri(ctx_.get(), a, b, true, true, false);
    }

    void lightning_indexer() {
        constexpr ggml_type types[] = { GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16, GGML_TYPE_Q8_0, GGML_TYPE_Q5_1, GGML_TYPE_Q4_K };
        const ggml_type     type    = types[pick(std::size(types))];
        const int64_t       size    = type == GGML_TYPE_Q4_K    ? 256
                                      : ggml_is_quantized(type) ? one_of({ 32, 96, 128, 160 })
                                                                : one_of({ 1, 5, 8, 31, 64, 128, 130, 200, 300 });
        const int64_t       heads   = one_of({ 1, 3, 4, 9, 64 });
        const int64_t       tokens  = one_of({ 1, 2, 5, 17, 40 });
        const int64_t       columns = one_of({ 1, 7, 33, 100 });
        const int64_t       streams = one_of({ 1, 2 });

        ggml_tensor * q = in(-1, 1, size, heads, tokens, streams);
        ggml_tensor * k = in(-1, 1, size, 1, columns, streams, type);
        ggml_tensor * w = in(-1, 1, heads, tokens, 1, streams);
        ggml_tensor * m = in(-1, 1, columns, tokens, 1, one_of({ 1, streams }), GGML_TYPE_F16);
        result          = ggml_lightning_indexer(ctx_.get(), q, k, w, m);
    }

    void hyper_connection() {
        const int64_t size    = one_of({ 1, 31, 64, 257 });
        const int64_t streams = one_of({ 1, 2, 4, 5, 9 });
        const int64_t tokens  = one_of({ 1, 3, 70 });
        switch (pick(3)) {
            case 0: result = ggml_dsv4_hc_comb(ctx_.get(), in(-2, 2, 24, tokens), in(-1, 1, 3), in(-1, 1, 24), 1e-6f, 5); break;
            case 1: result = ggml_dsv4_hc_pre(ctx_.get(), in(-1, 1, size, streams, tokens), in(0, 1, streams, tokens)); break;
            default:
                result = ggml_dsv4_hc_post(ctx_.get(), in(-1, 1, size, tokens), in(-1, 1, size, streams, tokens), in(0, 2, streams, tokens),
                                           in(0, 1, streams, streams, tokens));
                break;
        }
    }

    std::mt19937_64    random_;
    ggml_context_ptr   ctx_;
    ggml_cgraph *      graph_ = nullptr;
    std::vector<input> inputs_;
};

class recurrent_fuzz : public testing::TestWithParam<uint64_t> {};

TEST_P(recurrent_fuzz, equals_the_cpu) {
    recurrence on_cpu(GetParam());
    recurrence o(GetParam());

    const ggml_backend_ptr cpu(ggml_backend_dev_init(cpu_device(), nullptr));
    const ggml_backend_ptr device(ggml_backend_dev_init(directx_device(), nullptr));
    ASSERT_TRUE(ggml_backend_supports_op(device.get(), o.result)) << o.describe();

    const std::vector<float> expected = on_cpu.run(cpu.get());
    const std::vector<float> got      = o.run(device.get());
    ASSERT_EQ(expected.size(), got.size());
    double error = 0.0;
    double norm  = 0.0;
    for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_TRUE(std::isfinite(expected[i]) && std::isfinite(got[i])) << "element " << i << " of " << o.describe();
        error += double(expected[i] - got[i]) * double(expected[i] - got[i]);
        norm += double(expected[i]) * double(expected[i]);
    }
    ASSERT_LE(error, 1e-7 * norm) << o.describe();
}

INSTANTIATE_TEST_SUITE_P(seeds, recurrent_fuzz, testing::ValuesIn(fuzz_seeds(96)),
                         [](const auto & test) { return "seed_" + std::to_string(test.param); });

}  // namespace
