#include "onnx/padding.h"
#include "onnx/translator.h"

#include "ggml-backend.h"
#include "ggml-cpp.h"
#include "ggml-impl.h"
#include "ggml.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

using ggml_directx::onnx::axis;
using ggml_directx::onnx::axis_kind;
using ggml_directx::onnx::bucket_of;
using ggml_directx::onnx::padded_graph;
using ggml_directx::onnx::results_of;

namespace {

constexpr int64_t width = 64;  // of a head
constexpr int64_t heads = 2;
constexpr int64_t room  = 700;  // rows of the cache

// One layer of attention over a cache of keys and values, as llama.cpp builds it.
struct attention_layer {
    ggml_context_ptr ctx{ ggml_init({ .mem_size = 1 << 23, .mem_buffer = nullptr, .no_alloc = false }) };
    ggml_tensor *    x;
    ggml_tensor *    positions;
    ggml_tensor *    slots;
    ggml_tensor *    mask;
    ggml_tensor *    k_cache;
    ggml_tensor *    k;
    ggml_tensor *    picked;
    ggml_tensor *    rope;
    ggml_tensor *    out;
    ggml_cgraph *    graph;

    ggml_tensor * leaf(ggml_type type, int64_t ne0, int64_t ne1 = 1) {
        ggml_tensor * t = ggml_new_tensor_2d(ctx.get(), type, ne0, ne1);
        ggml_set_input(t);
        return t;
    }

    // `sum`: a product over all rows of the batch follows.
    attention_layer(int64_t rows, int64_t columns, int64_t picks, bool sum = false) {
        ggml_context * c = ctx.get();
        x                = leaf(GGML_TYPE_F32, heads * width, rows);
        positions        = leaf(GGML_TYPE_I32, rows);
        slots            = leaf(GGML_TYPE_I64, rows);
        mask             = leaf(GGML_TYPE_F16, columns, rows);
        k_cache          = leaf(GGML_TYPE_F16, heads * width, room);
        picked           = leaf(GGML_TYPE_I32, picks);
        graph            = ggml_new_graph(c);

        rope = ggml_rope_ext(c, ggml_reshape_3d(c, x, width, heads, rows), positions, nullptr, int(width), 0, 0, 1e4f, 1.0f, 0.0f, 1.0f,
                             0.0f, 0.0f);
        ggml_build_forward_expand(graph, ggml_set_rows(c, k_cache, ggml_view_2d(c, rope, heads * width, rows, rope->nb[2], 0), slots));
        k                   = ggml_permute(c, ggml_view_3d(c, k_cache, width, heads, columns, width * 2, k_cache->nb[1], 0), 0, 2, 1, 3);
        ggml_tensor * mixed = ggml_flash_attn_ext(c, ggml_permute(c, rope, 0, 2, 1, 3), k, k, mask, 0.125f, 0.0f, 0.0f);
        out                 = ggml_reshape_2d(c, mixed, heads * width, rows);
        if (sum) {
            ggml_tensor * t = ggml_cont(c, ggml_transpose(c, out));
            out             = ggml_mul_mat(c, t, t);
        }
        out = ggml_scale(c, ggml_get_rows(c, out, picked), 2.0f);
        ggml_set_output(out);
        ggml_build_forward_expand(graph, out);
    }
};

void expect_ne(const ggml_tensor * t, std::initializer_list<int64_t> ne) {
    size_t i = 0;
    for (int64_t n : ne) {
        EXPECT_EQ(t->ne[i++], n) << t->name << " dimension " << i - 1;
    }
}

}  // namespace

TEST(padding, buckets) {
    const auto rows    = [](int64_t n) { return bucket_of({ .kind = axis_kind::rows, .n = n }); };
    const auto columns = [](int64_t n, int64_t limit) { return bucket_of({ .kind = axis_kind::columns, .n = n, .limit = limit }); };
    EXPECT_EQ(rows(1), 1);
    EXPECT_EQ(rows(2), 8);
    EXPECT_EQ(rows(33), 128);
    EXPECT_EQ(rows(512), 512);
    EXPECT_EQ(rows(513), 1024);
    EXPECT_EQ(columns(256, 4096), 512);
    EXPECT_EQ(columns(513, 4096), 1024);
    EXPECT_EQ(columns(2304, 3000), 3000);
    EXPECT_EQ(columns(256, 256), 256);
    EXPECT_EQ(bucket_of({ .kind = axis_kind::rows, .n = 33, .usable = false }), 33);
}

TEST(padding, every_tensor_grows_alike) {
    attention_layer    l(33, 256, 3);
    const padded_graph p(l.graph);
    ASSERT_TRUE(p.grows());
    expect_ne(p.twin_of(l.x), { heads * width, 128 });
    expect_ne(p.twin_of(l.positions), { 128 });
    expect_ne(p.twin_of(l.slots), { 128 });
    expect_ne(p.twin_of(l.mask), { 512, 128 });
    expect_ne(p.twin_of(l.k), { width, 512, heads });
    expect_ne(p.twin_of(l.picked), { 8 });
    expect_ne(p.twin_of(l.out), { heads * width, 8 });
    EXPECT_EQ(p.twin_of(l.k_cache), l.k_cache);  // the program's own memory
    EXPECT_EQ(p.twin_of(l.k)->view_src, l.k_cache);
    for (int i = 0; i < l.graph->n_nodes; ++i) {
        const ggml_tensor * twin = p.twin_of(l.graph->nodes[i]);
        if (!twin->view_src) {
            EXPECT_TRUE(ggml_is_contiguous(twin)) << ggml_op_name(twin->op);
        }
    }
}

TEST(padding, a_graph_that_fits_stays) {
    const attention_layer l(1, 512, 1);
    const padded_graph    p(l.graph);
    EXPECT_FALSE(p.grows());
    EXPECT_EQ(p.twin_of(l.out), l.out);
}

TEST(padding, columns_stop_where_the_cache_ends) {
    const attention_layer l(1, 513, 1);
    expect_ne(padded_graph(l.graph).twin_of(l.mask), { room, 1 });
}

TEST(padding, a_full_bucket_wants_the_next) {
    const attention_layer full(1, 512, 1);
    EXPECT_TRUE(padded_graph(full.graph).outgrown());
    expect_ne(padded_graph(full.graph, true).twin_of(full.mask), { room, 1 });
    const attention_layer half(1, 256, 1);
    EXPECT_FALSE(padded_graph(half.graph).outgrown());
    const attention_layer all(1, room, 1);
    EXPECT_FALSE(padded_graph(all.graph).outgrown());
}

TEST(padding, a_sum_over_rows_keeps_their_number) {
    const attention_layer l(33, 256, 3, true);
    const padded_graph    p(l.graph);
    expect_ne(p.twin_of(l.x), { heads * width, 33 });
    expect_ne(p.twin_of(l.mask), { 512, 33 });  // columns are another matter
}

TEST(padding, rows_repeat_the_last_and_columns_are_masked) {
    attention_layer l(5, 256, 2);
    std::iota(ggml_get_data_f32(l.x), ggml_get_data_f32(l.x) + ggml_nelements(l.x), 0.0f);
    auto * slots = static_cast<int64_t *>(l.slots->data);
    std::iota(slots, slots + 5, 100);
    auto * mask = static_cast<ggml_fp16_t *>(l.mask->data);
    std::fill_n(mask, ggml_nelements(l.mask), ggml_fp32_to_fp16(0.0f));
    mask[4 * 256] = ggml_fp32_to_fp16(7.0f);

    padded_graph                           p(l.graph);
    const std::vector<const ggml_tensor *> results = results_of(l.graph);
    p.allocate(results);
    p.fill();
    const auto * x = static_cast<const float *>(p.twin_of(l.x)->data);
    EXPECT_EQ(x[4 * heads * width + 3], ggml_get_data_f32(l.x)[4 * heads * width + 3]);
    EXPECT_EQ(x[7 * heads * width + 3], x[4 * heads * width + 3]);
    const auto * padded_slots = static_cast<const int64_t *>(p.twin_of(l.slots)->data);
    EXPECT_EQ(padded_slots[3], 103);
    EXPECT_EQ(padded_slots[4], 104);
    EXPECT_EQ(padded_slots[7], 104);
    const auto * padded_mask = static_cast<const ggml_fp16_t *>(p.twin_of(l.mask)->data);
    EXPECT_EQ(ggml_fp16_to_fp32(padded_mask[255]), 0.0f);
    EXPECT_EQ(ggml_fp16_to_fp32(padded_mask[256]), -INFINITY);
    EXPECT_EQ(ggml_fp16_to_fp32(padded_mask[7 * 512]), 7.0f);
    EXPECT_EQ(ggml_fp16_to_fp32(padded_mask[7 * 512 + 511]), -INFINITY);

    // results: the rows that were asked for, and nothing behind them
    auto * made = static_cast<float *>(p.twin_of(l.out)->data);
    ASSERT_NE(made, l.out->data);
    std::iota(made, made + 8 * heads * width, 0.0f);
    p.drain();
    EXPECT_EQ(ggml_get_data_f32(l.out)[2 * heads * width - 1], 2.0f * heads * width - 1);
}
