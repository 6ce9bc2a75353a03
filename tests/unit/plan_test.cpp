#include "graph/fingerprint.h"
#include "graph/pacer.h"
#include "graph/plan.h"

#include "ggml-cpp.h"
#include "ggml-impl.h"
#include "ggml.h"

#include <gtest/gtest.h>

#include <functional>

using ggml_directx::fingerprint;
using ggml_directx::fingerprint_of;
using ggml_directx::pacer;
using ggml_directx::split_by_work;
using ggml_directx::step;

namespace {

// A graph of one soft_max over a view of a sum, with whatever a test changes about it.
fingerprint print_of(const std::function<void(ggml_tensor * sum, ggml_tensor * out)> & change = {}, uint64_t buffer = 7) {
    const ggml_context_ptr ctx(ggml_init({ .mem_size = 1 << 18, .mem_buffer = nullptr, .no_alloc = true }));
    ggml_tensor *          a     = ggml_new_tensor_2d(ctx.get(), GGML_TYPE_F32, 16, 4);
    ggml_tensor *          sum   = ggml_add(ctx.get(), a, a);
    ggml_tensor *          out   = ggml_soft_max_ext(ctx.get(), sum, nullptr, 0.5f, 0.0f);
    ggml_cgraph *          graph = ggml_new_graph(ctx.get());
    ggml_build_forward_expand(graph, out);
    a->data   = reinterpret_cast<void *>(0x10000);
    sum->data = reinterpret_cast<void *>(0x20000);
    out->data = reinterpret_cast<void *>(0x30000);
    if (change) {
        change(sum, out);
    }
    return fingerprint_of(graph, [buffer](const ggml_tensor *) { return buffer; });
}

std::vector<uint32_t> split(std::initializer_list<uint64_t> work, uint64_t budget) {
    std::vector<step> steps;
    for (uint64_t w : work) {
        steps.emplace_back().work = w;
    }
    return split_by_work(steps, budget);
}

}  // namespace

TEST(fingerprint, equal_graphs_agree) {
    EXPECT_EQ(print_of(), print_of());
}

TEST(fingerprint, everything_that_decides_the_result_changes_it) {
    const fingerprint base = print_of();
    EXPECT_FALSE(base == print_of([](ggml_tensor *, ggml_tensor * out) { out->data = reinterpret_cast<void *>(0x30100); }));
    EXPECT_FALSE(base == print_of([](ggml_tensor *, ggml_tensor * out) { out->op_params[0] ^= 1; }));
    EXPECT_FALSE(base == print_of([](ggml_tensor *, ggml_tensor * out) { out->op = GGML_OP_RMS_NORM; }));
    EXPECT_FALSE(base == print_of([](ggml_tensor * sum, ggml_tensor *) { sum->ne[1] = 3; }));
    EXPECT_FALSE(base == print_of([](ggml_tensor * sum, ggml_tensor *) { sum->nb[1] += 4; }));
    EXPECT_FALSE(base == print_of([](ggml_tensor * sum, ggml_tensor *) { sum->type = GGML_TYPE_I32; }));
    EXPECT_FALSE(base == print_of([](ggml_tensor * sum, ggml_tensor *) { std::swap(sum->src[0], sum->src[2]); }));
    EXPECT_FALSE(base == print_of([](ggml_tensor * sum, ggml_tensor *) { sum->flags ^= GGML_TENSOR_FLAG_COMPUTE; }));
    EXPECT_FALSE(base == print_of({}, 8));
}

TEST(split_by_work, cuts_before_the_budget_is_exceeded) {
    EXPECT_EQ(split({ 4, 4, 4, 4 }, 8), (std::vector<uint32_t>{ 0, 2 }));
    EXPECT_EQ(split({ 4, 4, 4, 4 }, 100), (std::vector<uint32_t>{ 0 }));
    EXPECT_EQ(split({}, 8), (std::vector<uint32_t>{}));
}

TEST(split_by_work, a_step_beyond_the_budget_stands_alone) {
    EXPECT_EQ(split({ 1, 50, 1, 1 }, 8), (std::vector<uint32_t>{ 0, 1, 2 }));
}

TEST(pacer, follows_a_slow_device_down_and_a_fast_one_up) {
    pacer slow(1e9);
    slow.observe(uint64_t(1e9), 4.0);
    EXPECT_LT(slow.budget(), uint64_t(1e9 * pacer::target_seconds / 3));
    pacer fast(1e9);
    fast.observe(uint64_t(8e9), 1.0);
    EXPECT_GT(fast.budget(), uint64_t(1e9 * pacer::target_seconds * 3));
}

TEST(pacer, latency_of_small_batches_does_not_lower_it) {
    pacer p(1e9);
    p.observe(1000, 0.01);
    EXPECT_EQ(p.budget(), uint64_t(1e9 * pacer::target_seconds));
}

TEST(pacer, nonsense_is_ignored) {
    pacer p(1e9);
    p.observe(0, 1.0);
    p.observe(1000, 0.0);
    EXPECT_EQ(p.budget(), uint64_t(1e9 * pacer::target_seconds));
}
