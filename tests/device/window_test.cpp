// Tensors that kernels pick from by index: what is wanted only the device knows. Beyond a kernel's reach they are gone through in
// windows; with the reach lowered small ones show it.

#include "op_fixture.h"

#include <string>

namespace ggml_directx {

namespace {

constexpr uint64_t low = 16 * 1024;

// Equal to the CPU's with all in reach, and in windows.
void expect_equal(const op_maker & make, double tolerance) {
    const std::vector<float> expected = result_of(cpu_stream(), make);
    ASSERT_TRUE(device_supports(make));
    EXPECT_LE(relative_error(expected, result_of(device_stream(), make)), tolerance);

    const lowered_span limit(low);
    ASSERT_TRUE(device_supports(make));
    EXPECT_LE(relative_error(expected, result_of(device_stream(), make)), tolerance);
}

// Matrices for `slots` slots of each token
ggml_tensor * chosen(op_builder & b, int64_t slots, int64_t tokens, int64_t matrices, int64_t step) {
    return ggml_reshape_2d(b.ctx(), b.indices(GGML_TYPE_I32, { slots * tokens, 1, 1, 1 }, matrices, step), slots, tokens);
}

bool is_refused_in_low_reach(const op_maker & make) {
    const lowered_span limit(low);
    return !device_supports(make);
}

}  // namespace

TEST(windows, OfTablesThatRowsAreReadFrom) {
    for (ggml_type type : { GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_Q4_0, GGML_TYPE_Q6_K }) {
        SCOPED_TRACE(ggml_type_name(type));
        expect_equal(
            [type](op_builder & b) {
                return ggml_get_rows(b.ctx(), b.values(type, { 256, 301, 2, 3 }), b.indices(GGML_TYPE_I32, { 40, 2, 3, 1 }, 301, 53));
            },
            0.0);
    }
    // Rows that begin within a word
    expect_equal(
        [](op_builder & b) {
            return ggml_get_rows(b.ctx(), b.values(GGML_TYPE_F16, { 33, 801, 1, 1 }), b.indices(GGML_TYPE_I32, { 200, 1, 1, 1 }, 801, 97));
        },
        0.0);
}

TEST(windows, OfTablesThatRowsAreWrittenTo) {
    for (ggml_type type : { GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_Q8_0 }) {
        for (ggml_type indices : { GGML_TYPE_I32, GGML_TYPE_I64 }) {
            SCOPED_TRACE(std::string(ggml_type_name(type)) + " by " + ggml_type_name(indices));
            // Rows that nobody names keep their values.
            expect_equal(
                [=](op_builder & b) {
                    return ggml_set_rows(b.ctx(), b.values(type, { 96, 300, 2, 1 }), b.floats({ 96, 20, 2, 1 }),
                                         b.indices(indices, { 20, 2, 1, 1 }, 300, 53));
                },
                type == GGML_TYPE_Q8_0 ? 1e-5 : 0.0);
        }
    }
    expect_equal(
        [](op_builder & b) {
            return ggml_set_rows(b.ctx(), b.values(GGML_TYPE_F16, { 33, 801, 1, 1 }), b.floats({ 33, 100, 1, 1 }),
                                 b.indices(GGML_TYPE_I32, { 100, 1, 1, 1 }, 801, 97));
        },
        0.0);
}

TEST(windows, OfMatricesThatTokensChoose) {
    for (ggml_type type : { GGML_TYPE_F16, GGML_TYPE_Q4_0 }) {
        for (int64_t tokens : { 1, 3, 70 }) {
            for (int64_t step : { 5, 0 }) {  // many of the experts, or one: then most windows have none
                SCOPED_TRACE(std::string(ggml_type_name(type)) + ", " + std::to_string(tokens) + " tokens");
                expect_equal(
                    [=](op_builder & b) {
                        return ggml_mul_mat_id(b.ctx(), b.values(type, { 64, 33, 24, 1 }), b.floats({ 64, 2, tokens, 1 }),
                                               chosen(b, 2, tokens, 24, step));
                    },
                    5e-4);
            }
        }
    }
}

// Most windows have none that is chosen.
TEST(windows, OfThousandsOfMatrices) {
    expect_equal(
        [](op_builder & b) {
            return ggml_mul_mat_id(b.ctx(), b.values(GGML_TYPE_F16, { 32, 2, 2500, 1 }), b.floats({ 32, 5, 3, 1 }),
                                   chosen(b, 5, 3, 2500, 613));
        },
        5e-4);
}

// A wrong index reads zeros and writes nothing, in every window.
TEST(windows, KnowWhatIsInNone) {
    const auto read_wrong = [](op_builder & b) {
        return ggml_get_rows(b.ctx(), b.floats({ 64, 301, 1, 1 }), b.indices(GGML_TYPE_I32, { 7, 1, 1, 1 }, 100'000'000, 99'999'999));
    };
    for (uint64_t reach : { tested_device().caps().max_span, low }) {
        const lowered_span       limit(reach);
        const std::vector<float> got = result_of(device_stream(), read_wrong);
        ASSERT_EQ(7u * 64u, got.size());
        EXPECT_NE(0.0f, got[0]);  // index 0 is right
        for (size_t i = 64; i < got.size(); ++i) {
            ASSERT_EQ(0.0f, got[i]) << "element " << i;
        }
    }
}

TEST(windows, AreNotNarrowerThanOneElement) {
    EXPECT_TRUE(is_refused_in_low_reach([](op_builder & b) {
        return ggml_get_rows(b.ctx(), b.floats({ 5000, 3, 1, 1 }), b.indices(GGML_TYPE_I32, { 3, 1, 1, 1 }, 3));
    }));
    EXPECT_TRUE(is_refused_in_low_reach([](op_builder & b) {
        return ggml_mul_mat_id(b.ctx(), b.floats({ 64, 65, 3, 1 }), b.floats({ 64, 1, 4, 1 }), b.indices(GGML_TYPE_I32, { 1, 4, 1, 1 }, 3));
    }));
}

// Where shapes differ elements correspond by their number, whatever sizes the two happen to have in common.
TEST(windows, AreNoSlicesOfAnotherShape) {
    const auto reshaped = [](op_builder & b) {
        return ggml_cont_2d(b.ctx(), ggml_permute(b.ctx(), b.floats({ 8, 48, 48, 1 }), 0, 2, 1, 3), 384, 48);
    };
    ASSERT_TRUE(device_supports(reshaped));
    EXPECT_TRUE(is_refused_in_low_reach(reshaped));

    // The same shape is cut.
    expect_equal([](op_builder & b) { return ggml_cont(b.ctx(), ggml_permute(b.ctx(), b.floats({ 8, 48, 48, 1 }), 0, 2, 1, 3)); }, 0.0);
}

}  // namespace ggml_directx
