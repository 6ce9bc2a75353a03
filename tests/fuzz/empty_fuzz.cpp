// Sources without elements under a result that has some: sums of nothing, and what is left where nothing is put in. The mean
// of nothing is not a number, which no function may hide.

#include "fuzz.h"

#include "ggml-cpp.h"
#include "ggml.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace {

using maker = std::function<ggml_tensor *(ggml_context *)>;

ggml_tensor * floats(ggml_context * ctx, int64_t ne0, int64_t ne1 = 1, int64_t ne2 = 1) {
    return ggml_new_tensor_3d(ctx, GGML_TYPE_F32, ne0, ne1, ne2);
}

struct empty_case {
    std::string name;
    maker       make;
};

const std::vector<empty_case> cases = {
    { "sum", [](ggml_context * ctx) { return ggml_sum(ctx, floats(ctx, 5, 0)); } },
    { "sum_rows", [](ggml_context * ctx) { return ggml_sum_rows(ctx, floats(ctx, 0, 7)); } },
    { "mean", [](ggml_context * ctx) { return ggml_mean(ctx, floats(ctx, 0, 7)); } },
    { "count_equal",
      [](ggml_context * ctx) {
          return ggml_count_equal(ctx, ggml_new_tensor_1d(ctx, GGML_TYPE_I32, 0), ggml_new_tensor_1d(ctx, GGML_TYPE_I32, 0));
      } },
    { "out_prod", [](ggml_context * ctx) { return ggml_out_prod(ctx, floats(ctx, 5, 0), floats(ctx, 7, 0)); } },
    { "concat", [](ggml_context * ctx) { return ggml_concat(ctx, floats(ctx, 0, 3), floats(ctx, 4, 3), 0); } },
    { "set_rows",
      [](ggml_context * ctx) {
          return ggml_set_rows(ctx, floats(ctx, 5, 3), floats(ctx, 5, 0), ggml_new_tensor_1d(ctx, GGML_TYPE_I64, 0));
      } },
    { "get_rows_back",
      [](ggml_context * ctx) {
          return ggml_get_rows_back(ctx, floats(ctx, 5, 0), ggml_new_tensor_1d(ctx, GGML_TYPE_I32, 0), floats(ctx, 5, 3));
      } },
    { "pad", [](ggml_context * ctx) { return ggml_pad(ctx, floats(ctx, 4, 0), 1, 3, 0, 0); } },
    { "cross_entropy_loss", [](ggml_context * ctx) { return ggml_cross_entropy_loss(ctx, floats(ctx, 4, 0), floats(ctx, 4, 0)); } },
};

// Without those whose results debug builds of the CPU backend want to be numbers, and XIELU, which has parameters.
std::vector<empty_case> functions_of_nan() {
    constexpr ggml_unary_op left_out[] = {
        GGML_UNARY_OP_GELU, GGML_UNARY_OP_GELU_ERF, GGML_UNARY_OP_GELU_QUICK, GGML_UNARY_OP_SILU, GGML_UNARY_OP_XIELU,
    };
    std::vector<empty_case> result;
    for (int i = 0; i < GGML_UNARY_OP_COUNT; ++i) {
        const auto op = ggml_unary_op(i);
        if (std::find(std::begin(left_out), std::end(left_out), op) == std::end(left_out)) {
            result.push_back(
                { ggml_unary_op_name(op), [=](ggml_context * ctx) { return ggml_unary(ctx, ggml_mean(ctx, floats(ctx, 0, 4)), op); } });
        }
    }
    return result;
}

class empty_fuzz : public testing::TestWithParam<empty_case> {};

TEST_P(empty_fuzz, equals_the_cpu) {
    std::vector<float> results[2];
    for (ggml_backend_t backend : { cpu_stream(), directx_stream() }) {
        const ggml_context_ptr ctx(
            ggml_init({ .mem_size = ggml_tensor_overhead() * 16 + ggml_graph_overhead(), .mem_buffer = nullptr, .no_alloc = true }));
        ggml_tensor * result = GetParam().make(ctx.get());
        ASSERT_TRUE(ggml_backend_supports_op(backend, result));
        ASSERT_TRUE(!result->src[0]->src[0] || ggml_backend_supports_op(backend, result->src[0]));
        ggml_cgraph * graph = ggml_new_graph(ctx.get());
        ggml_build_forward_expand(graph, result);
        const ggml_backend_buffer_ptr buffer(ggml_backend_alloc_ctx_tensors(ctx.get(), backend));
        ggml_backend_buffer_clear(buffer.get(), 0x3f);  // no result must be what was there before
        ASSERT_EQ(compute(backend, graph), GGML_STATUS_SUCCESS);
        std::vector<float> & data = results[backend == directx_stream()];
        data.resize(ggml_nbytes(result) / sizeof(float));
        ggml_backend_tensor_get(result, data.data(), 0, ggml_nbytes(result));
    }
    EXPECT_EQ(normalised_error(results[0], results[1]), 0) << testing::PrintToString(results[0]) << testing::PrintToString(results[1]);
}

INSTANTIATE_TEST_SUITE_P(ops, empty_fuzz, testing::ValuesIn(cases), [](const auto & test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(nan, empty_fuzz, testing::ValuesIn(functions_of_nan()), [](const auto & test) { return test.param.name; });

}  // namespace
