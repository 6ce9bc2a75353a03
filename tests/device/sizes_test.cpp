// Shapes at the edges: rows of 1, 31, 33 and 1,000,003 elements, more rows, slices and batches than a grid has groups along one
// side, and nothing at all. Each is right, or refused where the list below says so.

#include "op_families.h"

#include <map>
#include <string>
#include <utility>

namespace ggml_directx {

namespace {

struct sized {
    const char * name;
    shape        ne;
};

constexpr sized shapes[] = {
    { "rows_of_1", { 1, 5, 2, 1 } },         { "rows_of_31", { 31, 3, 2, 1 } },
    { "rows_of_33", { 33, 3, 2, 1 } },       { "rows_of_1000003", { 1000003, 1, 1, 1 } },
    { "rows_65537", { 3, 65537, 1, 1 } },    { "slices_65537", { 3, 1, 65537, 1 } },
    { "batches_65537", { 3, 1, 1, 65537 } }, { "nothing_in_dim_0", { 0, 3, 2, 1 } },
    { "nothing_in_dim_1", { 5, 0, 2, 1 } },  { "nothing_in_dim_2", { 5, 3, 0, 1 } },
    { "nothing_in_dim_3", { 5, 3, 2, 0 } },
};

constexpr const char * grid  = "more groups along a side of the grid than there may be";
constexpr const char * loops = "more rounds in a thread's loops than a software adapter takes";

constexpr const char * heads = "more heads or batches than a side of the grid that attention on a GPU has";

// What is refused, by op and shape, and why.
const std::map<std::pair<std::string, std::string>, const char *> refused = {
    { { "conv_2d", "slices_65537" }, loops },          { { "conv_transpose_1d", "rows_65537" }, loops },
    { { "flash_attn", "rows_of_1000003" }, loops },    { { "flash_attn", "slices_65537" }, heads },
    { { "flash_attn", "batches_65537" }, heads },      { { "gated_linear_attn", "batches_65537" }, grid },
    { { "gated_linear_attn", "slices_65537" }, grid }, { { "get_rows_back", "rows_65537" }, loops },
    { { "out_prod_long", "rows_of_1000003" }, loops }, { { "repeat_back_row", "rows_of_1000003" }, loops },
    { { "repeat_back_rows", "rows_65537" }, loops },   { { "repeat_back_rows", "slices_65537" }, loops },
    { { "solve_tri", "batches_65537" }, grid },        { { "solve_tri", "slices_65537" }, grid },
    { { "ssm_scan", "batches_65537" }, grid },
};

bool is_refused(const char * reason) {
    const d3d12::capabilities & caps = tested_device().caps();
    return reason == loops ? caps.max_rounds != UINT64_MAX : reason == heads ? !caps.cpu : true;
}

struct tested {
    const op_family * family;
    const sized *     size;
};

std::vector<tested> all_tested() {
    std::vector<tested> all;
    for (const op_family & f : op_families()) {
        for (const sized & s : shapes) {
            op_builder b;
            if (f.make(b, s.ne)) {
                all.push_back({ &f, &s });
            }
        }
    }
    return all;
}

void PrintTo(const tested & t, std::ostream * out) {
    *out << t.family->name << " with " << t.size->name;
}

class sizes : public ::testing::TestWithParam<tested> {};

std::string name_of(const ::testing::TestParamInfo<tested> & info) {
    return std::string(info.param.family->name) + "_with_" + info.param.size->name;
}

}  // namespace

TEST_P(sizes, EqualTheCpuOrAreRefused) {
    const op_family & family = *GetParam().family;
    const op_maker    make   = [&](op_builder & b) { return family.make(b, GetParam().size->ne); };
    const auto        known  = refused.find({ std::string(family.name), GetParam().size->name });
    if (known != refused.end() && is_refused(known->second)) {
        EXPECT_FALSE(device_supports(make)) << "no longer refused: " << known->second;
        return;
    }
    ASSERT_TRUE(device_supports(make));
    ASSERT_TRUE(cpu_supports(make));
    EXPECT_LE(relative_error(result_of(cpu_stream(), make), result_of(device_stream(), make)), family.tolerance);
}

// Rows of a matrix product enough for one lane each, and too long for its loop on some software adapters.
TEST(long_rows, OfManyColumnsAreMultiplied) {
    const op_maker make = [](op_builder & b) {
        return ggml_mul_mat(b.ctx(), b.values(GGML_TYPE_F16, { 600000, 3, 1, 1 }), b.floats({ 600000, 32, 1, 1 }));
    };
    ASSERT_TRUE(device_supports(make));
    EXPECT_LE(relative_error(result_of(cpu_stream(), make), result_of(device_stream(), make)), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(all, sizes, ::testing::ValuesIn(all_tested()), name_of);

}  // namespace ggml_directx
