// Tensors larger than a kernel reaches: cut into slices or refused. With the reach lowered small tensors show it; plans for
// 5 GiB show the addresses without the memory; and where a device has the memory, the real thing is computed.

#include "op_families.h"

#include "graph/plan.h"
#include "ops/op_table.h"

#include "ggml-backend-impl.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace ggml_directx {

namespace {

constexpr uint64_t low = 64 * 1024;

// Beyond `low` in four dimensions, three, two and one; odd rows make slices that start within a word, if nobody looks.
constexpr shape cut_shapes[] = {
    { 96, 50, 6, 5 },
    { 48, 50, 30, 1 },
    { 131, 301, 1, 1 },
    { 40003, 1, 1, 1 },
};

// What cannot be cut, by family: for which of the shapes, and why.
struct refusal {
    std::string  shapes;  // a character for each of cut_shapes: 'x' where it is refused, 'c' where a CPU plays the GPU
    const char * reason;
};

const std::map<std::string, refusal> refused = {
    { "acc", { "xxxx", "its parameters place a part by bytes" } },
    { "add_id", { "...x", "one row is too long" } },
    { "arange", { "...x", "it has no rows" } },
    { "argmax", { "..xx", "its result has the rows as elements" } },
    { "argsort", { "...x", "one row is too long" } },
    { "col2im_1d", { "..xx", "outputs overlap" } },
    { "concat", { "..xx", "it joins the dimension in which it is long" } },
    { "cont_f16", { "..x.", "slices of one odd row of 16-bit values would share words" } },
    { "conv_2d", { "xxxx", "one image is too large" } },
    { "conv_2d_dw", { "xxxx", "one image is too large" } },
    { "conv_transpose_1d", { "..xx", "outputs overlap" } },
    { "count_equal", { "xxxx", "it is one result of the whole" } },
    { "cpy_f32_q8_0", { "...x", "rows of blocks are not cut" } },
    { "cpy_q4_0_f32", { "...x", "rows of blocks are not cut" } },
    { "cross_entropy", { "..xx", "it is one result of the whole" } },
    { "cross_entropy_back", { "..xx", "it divides by the number of all rows" } },
    { "cumsum", { "...x", "one row is too long" } },
    { "diag_mask", { "..xx", "which elements it masks depends on the row" } },
    { "flash_attn", { ".c.x", "the scores of one head, or its keys, are too large" } },
    { "get_rows", { "...x", "one row is too long" } },
    { "get_rows_back", { "..xx", "any row may go anywhere" } },
    { "get_rows_q4_0", { "...x", "one row is too long" } },
    { "group_norm", { "xxxx", "one image is too large" } },
    { "im2col", { "xxxx", "one image is too large" } },
    { "l2_norm", { "...x", "one row is too long" } },
    { "mean", { "...x", "one row is too long" } },
    { "mul_mat_columns", { "...x", "one row is too long" } },
    { "mul_mat_id", { "...x", "one row is too long" } },
    { "mul_mat_id_experts", { "..xx", "one matrix is too large" } },
    { "mul_mat_q4_0", { "...x", "one row is too long" } },
    { "mul_mat_rows", { "...x", "one row is too long" } },
    { "norm", { "...x", "one row is too long" } },
    { "out_prod_long", { "...x", "it adds up over the dimension in which it is long" } },
    { "out_prod_wide", { "...x", "rows are read at once" } },
    { "pad", { "xxxx", "it changes the dimensions in which it is long" } },
    { "pad_circular", { "xxxx", "it changes the dimensions in which it is long" } },
    { "pad_reflect", { "...x", "one row is too long" } },
    { "pool_1d", { "...x", "one row is too long" } },
    { "pool_2d", { "..xx", "one image is too large" } },
    { "repeat", { "..x.", "it repeats the dimension in which it is long" } },
    { "repeat_back_row", { "xxxx", "it adds up over several dimensions" } },
    { "repeat_back_rows", { "xxxx", "it adds up over several dimensions" } },
    { "rms_norm", { "...x", "one row is too long" } },
    { "rms_norm_back", { "...x", "one row is too long" } },
    { "roll", { "xxxx", "it moves elements across slices" } },
    { "rope", { "...x", "one row is too long" } },
    { "set", { "xxxx", "its parameters place a part by bytes" } },
    { "set_rows_f16", { "..xx", "any row may go anywhere" } },
    { "set_rows_q8_0", { "..xx", "any row may go anywhere" } },
    { "soft_max", { "xx.x", "slopes and masks go by head and row" } },
    { "soft_max_back", { "...x", "one row is too long" } },
    { "ssm_conv", { "..xx", "outputs overlap" } },
    { "sum", { "xxxx", "it is one result of the whole" } },
    { "sum_rows", { "...x", "one row is too long" } },
    { "swiglu", { "...x", "one row is too long" } },
    { "top_k", { "...x", "one row is too long" } },
    { "upscale", { "x.xx", "one image is too large" } },
};

bool is_refused(char mark) {
    return mark == 'x' || (mark == 'c' && tested_device().caps().cpu);
}

class spans : public ::testing::TestWithParam<op_family> {};

}  // namespace

TEST_P(spans, CutOrRefused) {
    const op_family & family = GetParam();
    const auto        known  = refused.find(std::string(family.name));
    for (size_t i = 0; i < std::size(cut_shapes); ++i) {
        const op_maker make = [&](op_builder & b) { return family.make(b, cut_shapes[i]); };
        {
            op_builder b;
            if (!make(b)) {
                continue;
            }
        }
        SCOPED_TRACE("shape " + std::to_string(i));
        ASSERT_TRUE(device_supports(make));
        const lowered_span limit(low);
        if (known != refused.end() && is_refused(known->second.shapes[i])) {
            EXPECT_FALSE(device_supports(make)) << "no longer refused: " << known->second.reason;
            continue;
        }
        const bool supported = device_supports(make);
        EXPECT_TRUE(supported);
        if (!supported) {
            continue;
        }
        EXPECT_LE(relative_error(result_of(cpu_stream(), make), result_of(device_stream(), make)), family.tolerance);
    }
}

INSTANTIATE_TEST_SUITE_P(all, spans, ::testing::ValuesIn(op_families().begin(), op_families().end()),
                         [](const ::testing::TestParamInfo<op_family> & tested) { return std::string(tested.param.name); });

namespace {

constexpr uint64_t GiB = uint64_t(1) << 30;

// A buffer of any size without memory behind it: good for planning.
class imagined_buffer {
public:
    imagined_buffer() {
        ggml_backend_buffer_i interface {};
        interface.get_base = get_base;
        buffer_.reset(ggml_backend_buffer_init(&type_, interface, &memory_, SIZE_MAX));
        memory_.uid = 1;
    }

    void place(ggml_tensor * t, uint64_t offset) {
        t->buffer = buffer_.get();
        t->data   = static_cast<char *>(get_base(nullptr)) + offset;
    }

private:
    static void * get_base(ggml_backend_buffer_t) { return reinterpret_cast<void *>(uintptr_t(1) << 40); }

    ggml_backend_buffer_type type_{};
    d3d12::buffer            memory_;
    ggml_backend_buffer_ptr  buffer_;
};

plan plan_of(op_builder & b, ggml_tensor * result) {
    ggml_cgraph * graph = ggml_new_graph(b.ctx());
    ggml_build_forward_expand(graph, result);
    return make_plan(graph, tested_device().library(), tested_device().caps());
}

}  // namespace

// Every byte of the result is written by one step, and read from the same place of the source.
TEST(five_gigabytes, ArePlannedWithoutGapsOrOverlaps) {
    imagined_buffer memory;
    op_builder      b;
    ggml_tensor *   a      = b.floats({ 1024, 5 << 18, 1, 1 });
    ggml_tensor *   result = ggml_gelu(b.ctx(), a);
    const uint64_t  size   = ggml_nbytes(result);
    ASSERT_EQ(5 * GiB, size);
    memory.place(a, 7 * GiB);
    memory.place(result, 20 * GiB + 256);

    const plan p    = plan_of(b, result);
    uint64_t   done = 0;
    ASSERT_GT(p.work.steps.size(), 1u);
    for (const step & s : p.work.steps) {
        ASSERT_EQ(2u, s.n_bindings);
        const region & from = s.bindings[0].target;
        const region & to   = s.bindings[1].target;
        EXPECT_EQ(7 * GiB + done, from.offset);
        EXPECT_EQ(20 * GiB + 256 + done, to.offset);
        EXPECT_EQ(from.size, to.size);
        EXPECT_LT(to.size, 4 * GiB);
        done += to.size;
    }
    EXPECT_EQ(size, done);
    EXPECT_TRUE(std::none_of(p.barriers.begin(), p.barriers.end(), [](bool barrier) { return barrier; }));
}

TEST(five_gigabytes, OfWeightsAreMultipliedInParts) {
    imagined_buffer memory;
    op_builder      b;
    ggml_tensor *   weights = b.values(GGML_TYPE_F16, { 8192, 5 << 16, 1, 1 });
    ggml_tensor *   x       = b.floats({ 8192, 1, 1, 1 });
    ggml_tensor *   result  = ggml_mul_mat(b.ctx(), weights, x);
    ASSERT_EQ(5 * GiB, ggml_nbytes(weights));
    memory.place(weights, 0);
    memory.place(x, 6 * GiB);
    memory.place(result, 7 * GiB);

    uint64_t read    = 0;
    uint64_t written = 0;
    for (const step & s : plan_of(b, result).work.steps) {
        EXPECT_EQ(read, s.bindings[0].target.offset);
        EXPECT_EQ(6 * GiB, s.bindings[1].target.offset);
        EXPECT_EQ(7 * GiB + written, s.bindings[2].target.offset);
        read += s.bindings[0].target.size;
        written += s.bindings[2].target.size;
    }
    EXPECT_EQ(ggml_nbytes(weights), read);
    EXPECT_EQ(ggml_nbytes(result), written);
}

// Every row of the table is in one window, and the last window ends where the table does.
TEST(five_gigabytes, OfRowsAreGoneThroughInWindows) {
    imagined_buffer memory;
    op_builder      b;
    ggml_tensor *   table  = b.floats({ 8192, 5 << 15, 1, 1 });
    ggml_tensor *   rows   = b.indices(GGML_TYPE_I32, { 3, 1, 1, 1 }, 3);
    ggml_tensor *   result = ggml_get_rows(b.ctx(), table, rows);
    ASSERT_EQ(5 * GiB, ggml_nbytes(table));
    memory.place(table, 7 * GiB);
    memory.place(rows, 0);
    memory.place(result, 1 * GiB);

    const plan p    = plan_of(b, result);
    uint64_t   done = 0;
    ASSERT_EQ(2u, p.work.steps.size());
    for (const step & s : p.work.steps) {
        EXPECT_EQ(7 * GiB + done, s.bindings[0].target.offset);
        EXPECT_EQ(1 * GiB, s.bindings[2].target.offset);
        done += s.bindings[0].target.size;
    }
    EXPECT_EQ(ggml_nbytes(table), done);
    EXPECT_TRUE(p.barriers[1]);  // what the first window lacks the second writes
}

TEST(five_gigabytes, ThatCannotBeCutAreRefused) {
    // One sum, one row
    EXPECT_FALSE(device_supports([](op_builder & b) { return ggml_sum(b.ctx(), b.floats({ 8192, 5 << 15, 1, 1 })); }));
    EXPECT_FALSE(device_supports([](op_builder & b) { return ggml_rms_norm(b.ctx(), b.floats({ 5 << 28, 1, 1, 1 }), 1e-6f); }));
}

// A small tensor is where it is, however far that is from the start of its buffer.
TEST(far_tensors, AreBoundWhereTheyAre) {
    imagined_buffer memory;
    op_builder      b;
    ggml_tensor *   a      = b.floats({ 100, 3, 1, 1 });
    ggml_tensor *   result = ggml_sqr(b.ctx(), a);
    memory.place(a, 5 * GiB + 512);
    memory.place(result, 9 * GiB);
    const plan p = plan_of(b, result);
    ASSERT_EQ(1u, p.work.steps.size());
    EXPECT_EQ(5 * GiB + 512, p.work.steps[0].bindings[0].target.offset);
    EXPECT_EQ(9 * GiB, p.work.steps[0].bindings[1].target.offset);
}

namespace {

// Why a device cannot hold a buffer of so many bytes; empty if it can.
std::string obstacle_to(uint64_t size) {
    const d3d12::device & dev = tested_device();
    if (size > dev.caps().max_buffer_bytes) {
        return dev.info().name + " takes at most " + std::to_string(dev.caps().max_buffer_bytes >> 20) + " MiB in a buffer";
    }
    const auto memory = dev.budget();
    if (memory.budget != 0 && memory.budget - std::min(memory.budget, memory.usage) < size + GiB / 4) {
        return dev.info().name + " has too little free memory for " + std::to_string(size >> 20) + " MiB";
    }
    return {};
}

ggml_tensor * part_of(op_builder & b, ggml_tensor * t, int64_t first, int64_t n) {
    ggml_tensor * part = ggml_view_1d(b.ctx(), t, n, size_t(first) * sizeof(float));
    ggml_backend_view_init(part);
    return part;
}

// A tensor of `size` bytes, whose first slice ends about `border`, is changed in its own memory, and a small one behind it.
void change_in_place(uint64_t size, uint64_t border) {
    const auto n = int64_t(size / sizeof(float));
    op_builder b;
    // In one buffer, whatever get_max_size says about how much should go into one.
    const ggml_backend_buffer_ptr memory(
        ggml_backend_buft_alloc_buffer(ggml_backend_get_default_buffer_type(device_stream()), size + 4096));
    ASSERT_TRUE(memory);
    auto *        base  = static_cast<char *>(ggml_backend_buffer_get_base(memory.get()));
    ggml_tensor * large = ggml_new_tensor_2d(b.ctx(), GGML_TYPE_F32, 1 << 16, n >> 16);
    ggml_tensor * small = ggml_new_tensor_1d(b.ctx(), GGML_TYPE_F32, 100);
    ASSERT_EQ(GGML_STATUS_SUCCESS, ggml_backend_tensor_alloc(memory.get(), large, base));
    ASSERT_EQ(GGML_STATUS_SUCCESS, ggml_backend_tensor_alloc(memory.get(), small, base + size));
    ggml_backend_buffer_clear(memory.get(), 0);

    std::vector<float> numbers(100);
    std::iota(numbers.begin(), numbers.end(), 1.0f);
    const auto    at_border = int64_t(border / sizeof(float));
    const int64_t places[]  = { 0, n / 3, at_border - 100, at_border, n - 100 };
    for (int64_t at : places) {
        ggml_backend_tensor_set(part_of(b, large, at, 100), numbers.data(), 0, 400);
    }
    ggml_backend_tensor_set(small, numbers.data(), 0, 400);

    ggml_tensor * result = ggml_scale_bias_inplace(b.ctx(), large, 2.0f, 5.0f);
    ggml_tensor * behind = ggml_scale_bias_inplace(b.ctx(), small, 3.0f, 1.0f);
    for (ggml_tensor * t : { result, behind }) {
        ggml_backend_view_init(t);
        ASSERT_TRUE(ggml_backend_supports_op(device_stream(), t));
    }
    ggml_cgraph * graph = ggml_new_graph(b.ctx());
    ggml_build_forward_expand(graph, result);
    ggml_build_forward_expand(graph, behind);
    ASSERT_EQ(GGML_STATUS_SUCCESS, ggml_backend_graph_compute(device_stream(), graph));

    std::vector<float> got(100);
    for (int64_t at : places) {
        ggml_backend_tensor_get(part_of(b, large, at, 100), got.data(), 0, 400);
        for (size_t i = 0; i < 100; ++i) {
            ASSERT_EQ(numbers[i] * 2.0f + 5.0f, got[i]) << "element " << at + int64_t(i);
        }
    }
    ggml_backend_tensor_get(part_of(b, large, n / 2, 100), got.data(), 0, 400);
    EXPECT_EQ(std::vector<float>(100, 5.0f), got);
    ggml_backend_tensor_get(small, got.data(), 0, 400);
    EXPECT_EQ(4.0f, got[0]);
    EXPECT_EQ(301.0f, got[99]);
}

}  // namespace

TEST(five_gigabytes, AreComputed) {
    const std::string none = obstacle_to(5 * GiB + 4096);
    if (!none.empty()) {
        GTEST_SKIP() << none;
    }
    change_in_place(5 * GiB, 4 * GiB);
}

TEST(far_tensors, AreComputedBehindALargeOne) {
    const lowered_span limit(GiB / 16);
    change_in_place(GiB / 16 * 5 / 4, GiB / 16);
}

// What get_max_size says is what alloc_buffer does; ggml fills buffers up to it.
TEST(largest_buffer, IsAllocated) {
    ggml_backend_buffer_type_t type = ggml_backend_get_default_buffer_type(device_stream());
    const size_t               size = ggml_backend_buft_get_max_size(type);
    EXPECT_LE(size, tested_device().caps().max_buffer_bytes);
    const std::string none = obstacle_to(size);
    if (!none.empty()) {
        GTEST_SKIP() << none;
    }
    EXPECT_TRUE(ggml_backend_buffer_ptr(ggml_backend_buft_alloc_buffer(type, size)));
}

TEST(largest_buffer, IsTheLargest) {
    ggml_backend_buffer_type_t type = ggml_backend_get_default_buffer_type(device_stream());
    EXPECT_FALSE(ggml_backend_buffer_ptr(ggml_backend_buft_alloc_buffer(type, tested_device().caps().max_buffer_bytes + 1)));
}

}  // namespace ggml_directx
