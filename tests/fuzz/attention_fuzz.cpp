// Flash attention with random sizes, types, strides and masks (rows that see nothing, a mask for each head, odd lengths)
// against the CPU backend: what ggml's own suite does not draw.

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

// One attention op and its inputs; the same for every backend that gets the same seed.
class attention {
public:
    explicit attention(uint64_t seed) : random_(seed) {
        ctx_.reset(ggml_init({ .mem_size = ggml_tensor_overhead() * 16 + ggml_graph_overhead(), .mem_buffer = nullptr, .no_alloc = true }));

        constexpr ggml_type types[] = { GGML_TYPE_F16,  GGML_TYPE_F32,  GGML_TYPE_BF16, GGML_TYPE_Q8_0,   GGML_TYPE_Q4_0,
                                        GGML_TYPE_Q4_1, GGML_TYPE_Q5_0, GGML_TYPE_Q5_1, GGML_TYPE_IQ4_NL, GGML_TYPE_F16 };
        const ggml_type     k_type  = types[pick(std::size(types))];
        const ggml_type     v_type  = pick(3) ? k_type : types[pick(std::size(types))];
        const bool          blocks  = ggml_is_quantized(k_type) || ggml_is_quantized(v_type);

        const int64_t k_size   = blocks ? one_of({ 32, 64, 96, 128, 256 }) : one_of({ 8, 16, 40, 64, 72, 96, 128, 576 });
        const int64_t v_size   = blocks ? one_of({ 32, 64, 128, 160 }) : one_of({ 8, 24, 64, 80, 128, 256, 512 });
        const int64_t kv_heads = one_of({ 1, 2, 3 });
        const int64_t heads    = kv_heads * one_of({ 1, 2, 3, 4, 7, 8 });
        const int64_t columns  = one_of({ 1, 2, 7, 31, 64, 65, 100, 257, 300, 777 });
        const int64_t queries  = one_of({ 1, 1, 2, 5, 33, 70 });
        const int64_t batches  = one_of({ 1, 1, 2 });

        permuted_ = pick(2) == 0;
        offset_   = one_of({ 0, 1, 3 });
        q         = view(GGML_TYPE_F32, k_size, queries, heads, batches);
        k         = view(k_type, k_size, columns, kv_heads, batches);
        v         = view(v_type, v_size, columns, kv_heads, batches);
        if (pick(4)) {
            mask = ggml_new_tensor_4d(ctx_.get(), GGML_TYPE_F16, columns, queries, one_of({ 1, 1, heads }), one_of({ 1, batches }));
        }
        const float max_bias = mask && pick(2) ? 8.0f : 0.0f;
        const float softcap  = pick(3) ? 0.0f : 15.0f;
        result               = ggml_flash_attn_ext(ctx_.get(), q, k, v, mask, 1.0f / std::sqrt(float(k_size)), max_bias, softcap);
        if (pick(2)) {
            sinks = ggml_new_tensor_1d(ctx_.get(), GGML_TYPE_F32, heads);
            ggml_flash_attn_ext_add_sinks(result, sinks);
        }
        graph_ = ggml_new_graph(ctx_.get());
        ggml_build_forward_expand(graph_, result);
    }

    ggml_tensor * q;
    ggml_tensor * k;
    ggml_tensor * v;
    ggml_tensor * mask  = nullptr;
    ggml_tensor * sinks = nullptr;
    ggml_tensor * result;

    std::string describe() const {
        std::string text;
        for (const ggml_tensor * t : { q, k, v, mask }) {
            text += t ? describe_tensor(t) : "";
        }
        return text + (sinks ? " sinks" : "");
    }

    std::vector<float> run(ggml_backend_t backend) {
        const ggml_backend_buffer_ptr buffer(ggml_backend_alloc_ctx_tensors(ctx_.get(), backend));
        values_.seed(0x5eed);
        for (const ggml_tensor * t : { q, k, v }) {
            std::vector<float> data(ggml_nelements(t->view_src));
            for (float & x : data) {
                x = uniform();
            }
            set_floats(t->view_src, data);
        }
        if (mask) {
            fill_mask();
        }
        if (sinks) {
            std::vector<float> data(ggml_nelements(sinks));
            for (float & x : data) {
                x = 10.0f * uniform();
            }
            set_floats(sinks, data);
        }
        EXPECT_EQ(compute(backend, graph_), GGML_STATUS_SUCCESS);
        return get_floats(result);
    }

private:
    uint64_t pick(uint64_t n) { return random_() % n; }
    int64_t  one_of(std::initializer_list<int64_t> choices) { return choices.begin()[pick(choices.size())]; }
    float    uniform() { return float(values_() % 20001) / 10000.0f - 1.0f; }

    // Rows with something before and behind them; heads side by side in memory, as in a KV cache, if permuted.
    ggml_tensor * view(ggml_type type, int64_t size, int64_t rows, int64_t heads, int64_t batches) {
        const int64_t margin = offset_ * ggml_blck_size(type);
        const int64_t ne1    = permuted_ ? heads : rows;
        const int64_t ne2    = permuted_ ? rows : heads;
        ggml_tensor * whole  = ggml_new_tensor_4d(ctx_.get(), type, size + 2 * margin, ne1, ne2, batches);
        return ggml_view_4d(ctx_.get(), whole, size, rows, heads, batches, whole->nb[permuted_ ? 2 : 1], whole->nb[permuted_ ? 1 : 2],
                            whole->nb[3], ggml_row_size(type, margin));
    }

    // Rows of four kinds: nothing seen, two columns of three unseen, the second half unseen, all seen.
    void fill_mask() {
        std::vector<float> data(ggml_nelements(mask));
        const int64_t      columns = mask->ne[0];
        for (int64_t row = 0; row < ggml_nrows(mask); ++row) {
            const uint64_t kind = values_() % 4;
            for (int64_t i = 0; i < columns; ++i) {
                const bool unseen       = kind == 0 || (kind == 1 && i % 3 != 0) || (kind == 2 && i > columns / 2);
                data[row * columns + i] = unseen ? -INFINITY : uniform();
            }
        }
        set_floats(mask, data);
    }

    std::mt19937_64  random_;
    std::mt19937_64  values_;
    ggml_context_ptr ctx_;
    ggml_cgraph *    graph_    = nullptr;
    bool             permuted_ = false;
    int64_t          offset_   = 0;
};

class attention_fuzz : public testing::TestWithParam<uint64_t> {};

TEST_P(attention_fuzz, equals_the_cpu) {
    attention on_cpu(GetParam());
    attention o(GetParam());

    ASSERT_TRUE(ggml_backend_supports_op(directx_stream(), o.result)) << o.describe();

    const std::vector<float> expected = on_cpu.run(cpu_stream());
    const std::vector<float> got      = o.run(directx_stream());
    ASSERT_EQ(expected.size(), got.size());
    ASSERT_TRUE(std::all_of(got.begin(), got.end(), [](float x) { return std::isfinite(x); })) << o.describe();
    // The limit of test-backend-ops: the CPU quantises Q for quantised K, and sums V of f16 in f16.
    ASSERT_LE(normalised_error(expected, got), 5e-4) << o.describe();
}

INSTANTIATE_TEST_SUITE_P(seeds, attention_fuzz, testing::ValuesIn(fuzz_seeds(60)),
                         [](const auto & test) { return "seed_" + std::to_string(test.param); });

}  // namespace
