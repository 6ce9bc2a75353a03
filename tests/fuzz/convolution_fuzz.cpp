// Convolutions and their relatives on odd shapes, against the CPU backend. The device gets images and filters with the
// channels innermost in memory now and then, which the CPU backend cannot take.

#include "fuzz.h"

#include "ggml-backend.h"
#include "ggml-cpp.h"
#include "ggml.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

namespace {

using shape = std::array<int64_t, GGML_MAX_DIMS>;

enum class layout { plain, channels_innermost };

// One op; the same for every backend that gets the same seed.
class operation {
public:
    operation(uint64_t seed, layout images) : random_(seed), images_(images) {
        ctx_.reset(ggml_init({ .mem_size = ggml_tensor_overhead() * 32 + ggml_graph_overhead(), .mem_buffer = nullptr, .no_alloc = true }));
        result = build();
        graph_ = ggml_new_graph(ctx_.get());
        ggml_build_forward_expand(graph_, result);
    }

    ggml_tensor * result;

    std::string describe() const {
        std::string text = ggml_op_desc(result);
        for (ggml_tensor * t : { result->src[0], result->src[1], result }) {
            text += t ? std::string(" ") + ggml_type_name(t->type) : "";
            for (int i = 0; t && i < GGML_MAX_DIMS; ++i) {
                text += (i ? "x" : "[") + std::to_string(t->ne[i]) + (i + 1 < GGML_MAX_DIMS ? "" : "]");
            }
        }
        for (int i = 0; i < 12; ++i) {
            text += " " + std::to_string(result->op_params[i]);
        }
        return text;
    }

    std::vector<float> run(ggml_backend_t backend) {
        const ggml_backend_buffer_ptr buffer(ggml_backend_alloc_ctx_tensors(ctx_.get(), backend));
        std::mt19937_64               values(0x5eed);
        for (ggml_tensor * t = ggml_get_first_tensor(ctx_.get()); t; t = ggml_get_next_tensor(ctx_.get(), t)) {
            if (t->op == GGML_OP_NONE && !t->view_src) {
                fill(t, values);
            }
        }
        EXPECT_EQ(ggml_backend_graph_compute(backend, graph_), GGML_STATUS_SUCCESS);

        std::vector<uint8_t> bytes(ggml_nbytes(result));
        ggml_backend_tensor_get(result, bytes.data(), 0, bytes.size());
        std::vector<float> data(ggml_nelements(result));
        if (result->type == GGML_TYPE_F32) {
            std::copy_n(reinterpret_cast<const float *>(bytes.data()), data.size(), data.data());
        } else {
            ggml_get_type_traits(result->type)->to_float(bytes.data(), data.data(), int64_t(data.size()));
        }
        return data;
    }

private:
    uint64_t below(uint64_t n) { return random_() % n; }
    int      number(int from, int to) { return from + int(below(uint64_t(to - from + 1))); }

    ggml_tensor * tensor(ggml_type type, const shape & ne) { return ggml_new_tensor(ctx_.get(), type, GGML_MAX_DIMS, ne.data()); }

    // The same elements in another order in memory.
    ggml_tensor * laid_out(ggml_tensor * t) {
        if (images_ == layout::plain) {
            return t;
        }
        return ggml_permute(ctx_.get(), ggml_cont(ctx_.get(), ggml_permute(ctx_.get(), t, 1, 2, 0, 3)), 2, 0, 1, 3);
    }

    ggml_tensor * build() {
        ggml_context * ctx = ctx_.get();

        // Strides, paddings, dilations, taps and sides of width, height and depth
        std::array<int, 3>     s{};
        std::array<int, 3>     p{};
        std::array<int, 3>     d{};
        std::array<int, 3>     k{};
        std::array<int64_t, 3> n{};
        for (int i = 0; i < 3; ++i) {
            s[i] = number(1, 3);
            d[i] = number(1, 3);
            k[i] = number(1, 5);
            p[i] = number(0, k[i] / 2);
            n[i] = (k[i] - 1) * d[i] + number(1, 21);
        }
        const int64_t      channels = number(1, 9);
        const int64_t      filters  = below(2) ? number(1, 15) : number(16, 80);
        const int64_t      batches  = number(1, 3);
        const ggml_type    type     = below(2) ? GGML_TYPE_F32 : GGML_TYPE_F16;
        const ggml_op_pool pool     = below(2) ? GGML_OP_POOL_MAX : GGML_OP_POOL_AVG;

        const auto plain = [&] { return tensor(GGML_TYPE_F32, { n[0], n[1], channels, batches }); };
        const auto out   = [&](int i) { return (n[i] + 2 * p[i] - d[i] * (k[i] - 1) - 1) / s[i] + 1; };

        switch (below(10)) {
            case 0:
            case 1:
                return ggml_conv_2d_direct(ctx, laid_out(tensor(type, { k[0], k[1], channels, filters })), laid_out(plain()), s[0], s[1],
                                           p[0], p[1], d[0], d[1]);
            case 2: {
                ggml_tensor * weights = tensor(type, { k[0], k[1], k[2], channels * filters });
                ggml_tensor * volume  = tensor(GGML_TYPE_F32, { n[0], n[1], n[2], channels * batches });
                return ggml_conv_3d_direct(ctx, weights, volume, s[0], s[1], s[2], p[0], p[1], p[2], d[0], d[1], d[2], int(channels),
                                           int(batches), int(filters));
            }
            case 3:
                return ggml_conv_2d_dw_direct(ctx, tensor(type, { k[0], k[1], 1, channels }), plain(), s[0], s[1], p[0], p[1], d[0], d[1]);
            case 4: return ggml_conv_transpose_2d_p0(ctx, tensor(type, { k[0], k[1], filters, channels }), plain(), s[0]);
            case 5: {
                const bool two = below(2);
                if (two) {
                    return ggml_im2col(ctx, tensor(type, { k[0], k[1], channels, filters }), plain(), s[0], s[1], p[0], p[1], d[0], d[1],
                                       true, type);
                }
                return ggml_im2col(ctx, tensor(type, { k[0], channels, filters, 1 }), tensor(GGML_TYPE_F32, { n[0], channels, batches, 1 }),
                                   s[0], 0, p[0], 0, d[0], 0, false, type);
            }
            case 6: {
                shape         ne      = { n[0], n[1], channels, batches };
                ggml_tensor * columns = tensor(GGML_TYPE_F32, { k[0] * k[1] * channels, out(0), out(1), batches });
                return ggml_im2col_back(ctx, columns, tensor(type, { k[0], k[1], channels, filters }), ne.data(), s[0], s[1], p[0], p[1],
                                        d[0], d[1], true);
            }
            case 7:
                return ggml_pool_2d(ctx, tensor(type, { n[0], n[1], channels, batches }), pool, k[0], k[1], s[0], s[1], float(p[0]),
                                    float(p[1]));
            case 8: {
                ggml_tensor * forward = plain();
                const shape   pooled  = { (n[0] + 2 * p[0] - k[0]) / s[0] + 1, (n[1] + 2 * p[1] - k[1]) / s[1] + 1, channels, batches };
                return ggml_pool_2d_back(ctx, tensor(GGML_TYPE_F32, pooled), forward, pool, k[0], k[1], s[0], s[1], float(p[0]),
                                         float(p[1]));
            }
            default: {
                ggml_tensor * weights = tensor(type, { k[0], filters, channels, 1 });
                return ggml_conv_transpose_1d(ctx, weights, tensor(GGML_TYPE_F32, { n[0], channels, 1, 1 }), s[0], 0, 1);
            }
        }
    }

    // Multiples of 1/16: half precision holds them, and a window often has several largest ones.
    static void fill(ggml_tensor * t, std::mt19937_64 & values) {
        std::vector<float> data(ggml_nelements(t));
        for (float & v : data) {
            v = float(int(values() % 33) - 16) / 16.0f;
        }
        std::vector<uint8_t> encoded(ggml_nbytes(t));
        if (t->type == GGML_TYPE_F32) {
            ggml_backend_tensor_set(t, data.data(), 0, ggml_nbytes(t));
            return;
        }
        ggml_quantize_chunk(t->type, data.data(), encoded.data(), 0, ggml_nrows(t), t->ne[0], nullptr);
        ggml_backend_tensor_set(t, encoded.data(), 0, encoded.size());
    }

    std::mt19937_64  random_;
    layout           images_;
    ggml_context_ptr ctx_;
    ggml_cgraph *    graph_ = nullptr;
};

class convolution_fuzz : public testing::TestWithParam<uint64_t> {};

TEST_P(convolution_fuzz, equals_the_cpu) {
    operation on_cpu(GetParam(), layout::plain);
    operation o(GetParam(), GetParam() % 3 == 0 ? layout::channels_innermost : layout::plain);

    const ggml_backend_ptr cpu(ggml_backend_dev_init(cpu_device(), nullptr));
    const ggml_backend_ptr device(ggml_backend_dev_init(directx_device(), nullptr));
    ASSERT_TRUE(ggml_backend_supports_op(device.get(), o.result)) << o.describe();

    const std::vector<float> expected = on_cpu.run(cpu.get());
    const std::vector<float> got      = o.run(device.get());
    ASSERT_EQ(expected.size(), got.size());
    for (size_t i = 0; i < expected.size(); ++i) {
        // Sums of multiples of 1/256 are exact in floats; what the mean of a window divides is not.
        ASSERT_NEAR(expected[i], got[i], 1e-6f * std::max(1.0f, std::abs(expected[i]))) << "element " << i << " of " << o.describe();
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, convolution_fuzz, testing::ValuesIn(fuzz_seeds(200)),
                         [](const auto & test) { return "seed_" + std::to_string(test.param); });

}  // namespace
