// Element-wise ops on odd-sized views at odd offsets, in place: results must equal the CPU backend's, and what lies
// around the view, down to the other half of a 32-bit word, must stay as it was.

#include "fuzz.h"

#include "ggml-backend.h"
#include "ggml-cpp.h"
#include "ggml.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

using shape = std::array<int64_t, GGML_MAX_DIMS>;

// One op whose destination is a part of `memory`; the same for every backend that gets the same seed.
class operation {
public:
    explicit operation(uint64_t seed) : random_(seed) {
        ctx_.reset(ggml_init({ .mem_size = ggml_tensor_overhead() * 32 + ggml_graph_overhead(), .mem_buffer = nullptr, .no_alloc = true }));
        constexpr ggml_type types[] = { GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16 };
        type_                       = types[below(3)];
        shape_                      = { size(below(4) == 0 ? 200 : 24), size(6), size(3), size(2) };
        memory                      = nullptr;
        ggml_tensor * part          = view(memory);
        result                      = below(2) ? binary(part) : unary(part);
        graph_                      = ggml_new_graph(ctx_.get());
        ggml_build_forward_expand(graph_, result);
    }

    ggml_tensor * memory;
    ggml_tensor * result;

    ggml_type type() const { return type_; }

    std::string describe() const {
        std::string text = std::string(ggml_op_desc(result));
        for (const ggml_tensor * t : { result->src[0], result->src[1] }) {
            text += t ? describe_tensor(t) : "";
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
        EXPECT_EQ(compute(backend, graph_), GGML_STATUS_SUCCESS);
        return get_floats(memory);
    }

private:
    uint64_t below(uint64_t n) { return random_() % n; }
    int64_t  size(uint64_t n) { return int64_t(below(n)) + 1; }

    // A part of a new tensor, in shape_. Rows are contiguous: what the CPU backend wants of a destination.
    ggml_tensor * view(ggml_tensor *& whole) {
        const bool all    = below(4) == 0;
        shape      offset = {};
        shape      ne     = shape_;
        for (int i = 0; i < GGML_MAX_DIMS && !all; ++i) {
            offset[i] = int64_t(below(4));
            ne[i] += offset[i] + int64_t(below(3));
        }
        whole     = ggml_new_tensor(ctx_.get(), type_, GGML_MAX_DIMS, ne.data());
        size_t at = 0;
        for (int i = 0; i < GGML_MAX_DIMS; ++i) {
            at += size_t(offset[i]) * whole->nb[i];
        }
        return ggml_view_4d(ctx_.get(), whole, shape_[0], shape_[1], shape_[2], shape_[3], whole->nb[1], whole->nb[2], whole->nb[3], at);
    }

    // Repeats over shape_; transposed now and then.
    ggml_tensor * operand() {
        shape ne = shape_;
        for (int64_t & n : ne) {
            n = below(3) == 0 ? 1 : n;
        }
        const ggml_type type = below(2) ? GGML_TYPE_F32 : type_;
        if (below(3) == 0) {
            std::swap(ne[0], ne[1]);
            return ggml_transpose(ctx_.get(), ggml_new_tensor(ctx_.get(), type, GGML_MAX_DIMS, ne.data()));
        }
        return ggml_new_tensor(ctx_.get(), type, GGML_MAX_DIMS, ne.data());
    }

    ggml_tensor * binary(ggml_tensor * part) {
        ggml_tensor * b = operand();
        switch (below(4)) {
            case 0: return ggml_add_inplace(ctx_.get(), part, b);
            case 1: return ggml_sub_inplace(ctx_.get(), part, b);
            case 2: return ggml_mul_inplace(ctx_.get(), part, b);
            default: return ggml_div_inplace(ctx_.get(), part, b);
        }
    }

    ggml_tensor * unary(ggml_tensor * part) {
        constexpr ggml_unary_op ops[] = {
            GGML_UNARY_OP_ABS,  GGML_UNARY_OP_NEG,   GGML_UNARY_OP_TANH,        GGML_UNARY_OP_ELU,        GGML_UNARY_OP_SIGMOID,
            GGML_UNARY_OP_EXP,  GGML_UNARY_OP_EXPM1, GGML_UNARY_OP_HARDSIGMOID, GGML_UNARY_OP_HARDSWISH,  GGML_UNARY_OP_SOFTPLUS,
            GGML_UNARY_OP_SILU, GGML_UNARY_OP_GELU,  GGML_UNARY_OP_GELU_ERF,    GGML_UNARY_OP_GELU_QUICK,
        };
        // The CPU backend has no bf16 for the last four.
        return ggml_unary_inplace(ctx_.get(), part, ops[below(type_ == GGML_TYPE_BF16 ? std::size(ops) - 4 : std::size(ops))]);
    }

    static void fill(ggml_tensor * t, std::mt19937_64 & values) {
        // Away from zero: quotients of small numbers would need a limit that sees nothing.
        std::vector<float> data(ggml_nelements(t));
        for (float & v : data) {
            v = (values() % 2 ? 1.0f : -1.0f) * (0.5f + float(values() % 3000) / 1000.0f);
        }
        set_floats(t, data);
    }

    std::mt19937_64  random_;
    ggml_context_ptr ctx_;
    ggml_cgraph *    graph_ = nullptr;
    ggml_type        type_  = GGML_TYPE_F32;
    shape            shape_ = {};
};

// A unit in the last place, or two where a float is the result of a few operations. The CPU's GELUs look f16 tables up.
float limit_for(const operation & o) {
    const bool from_table = o.result->op == GGML_OP_UNARY &&
                            (ggml_get_unary_op(o.result) == GGML_UNARY_OP_GELU || ggml_get_unary_op(o.result) == GGML_UNARY_OP_GELU_QUICK);
    switch (o.type()) {
        case GGML_TYPE_F16: return from_table ? 2e-3f : 1e-3f;
        case GGML_TYPE_BF16: return 8e-3f;
        default: return from_table ? 2e-3f : 2e-6f;
    }
}

class view_fuzz : public testing::TestWithParam<uint64_t> {};

TEST_P(view_fuzz, equals_the_cpu_and_touches_nothing_else) {
    operation on_cpu(GetParam());
    operation o(GetParam());

    ASSERT_TRUE(ggml_backend_supports_op(directx_stream(), o.result)) << o.describe();

    const std::vector<float> expected = on_cpu.run(cpu_stream());
    const std::vector<float> got      = o.run(directx_stream());
    ASSERT_EQ(expected.size(), got.size());
    for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(expected[i], got[i], limit_for(o) * std::max(1.0f, std::fabs(expected[i])))
            << "element " << i << " of " << o.describe();
    }
}

// One row of groups of a grid ends at 32,768 groups: the next row must go on where it ended.
TEST(long_tensors, are_covered_to_the_last_element) {
    for (const int64_t n : { int64_t(32768) * 512 + 4, int64_t(32768) * 512 + 3 }) {
        const ggml_context_ptr ctx(
            ggml_init({ .mem_size = ggml_tensor_overhead() * 8 + ggml_graph_overhead(), .mem_buffer = nullptr, .no_alloc = true }));
        ggml_tensor * x     = ggml_new_tensor_1d(ctx.get(), GGML_TYPE_F32, n);
        ggml_tensor * y     = ggml_scale_bias(ctx.get(), x, 2.0f, 1.0f);
        ggml_cgraph * graph = ggml_new_graph(ctx.get());
        ggml_build_forward_expand(graph, y);
        const ggml_backend_buffer_ptr buffer(ggml_backend_alloc_ctx_tensors(ctx.get(), directx_stream()));
        ASSERT_TRUE(buffer);
        std::vector<float> data(n);
        for (int64_t i = 0; i < n; ++i) {
            data[i] = float(i % 1000);
        }
        ggml_backend_tensor_set(x, data.data(), 0, ggml_nbytes(x));
        ASSERT_EQ(compute(directx_stream(), graph), GGML_STATUS_SUCCESS);
        ggml_backend_tensor_get(y, data.data(), 0, ggml_nbytes(y));
        for (int64_t i = 0; i < n; ++i) {
            ASSERT_EQ(data[i], float(i % 1000) * 2 + 1) << "element " << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, view_fuzz, testing::ValuesIn(fuzz_seeds(200)),
                         [](const auto & test) { return "seed_" + std::to_string(test.param); });

}  // namespace
