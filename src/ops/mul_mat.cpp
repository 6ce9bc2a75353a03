#include "ops/mul_mat.h"

#include "kernels/mul_mat_args.h"

#include <algorithm>
#include <bit>
#include <string>

namespace ggml_directx {

namespace {

constexpr uint64_t max_grid_side = 65535;

// One dispatch of so many multiply-adds ends within the watchdog's time on a slow device; see also encoder::dispatch.
constexpr uint64_t max_dispatch_work = 200'000'000'000;

constexpr uint64_t vec_group_size  = 64;
constexpr int64_t  max_vec_columns = 8;

constexpr uint64_t round_up_division(uint64_t n, uint64_t by) {
    return (n + by - 1) / by;
}

// How a kernel cuts the result: elements that one group computes.
struct cut {
    std::string kernel;
    uint64_t    rows    = 0;
    uint64_t    columns = 0;
    uint32_t    lanes   = 0;
};

// Rows of a thread in mul_mat_vec.hlsl.
constexpr uint64_t vec_thread_rows(uint64_t columns) {
    return columns == 8 ? 2 : 4;
}

cut choose_cut(const ggml_tensor * src0, const ggml_tensor * src1) {
    const std::string types = std::string(ggml_type_name(src0->type)) + "." + ggml_type_name(src1->type) + ".";

    cut c;
    if (src1->ne[1] <= max_vec_columns || src0->ne[1] <= 4) {
        c.columns = std::bit_ceil(uint64_t(std::min(src1->ne[1], max_vec_columns)));
        // Short rows leave threads of a team idle: smaller teams take more rows instead.
        c.lanes   = uint32_t(std::clamp<uint64_t>(std::bit_floor(uint64_t(src0->ne[0]) / 16 + 1), 8, vec_group_size));
        c.rows    = vec_group_size / c.lanes * vec_thread_rows(c.columns);
        c.kernel  = "mul_mat_vec." + types + std::to_string(c.columns);
    } else {
        const bool small = src1->ne[1] <= 32 || src0->ne[1] <= 32;
        c.rows    = small ? 32 : 64;
        c.columns = c.rows;
        c.kernel  = "mul_mat_tile." + types + std::to_string(c.rows);
    }
    return c;
}

}  // namespace

bool encode_mul_mat(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src0 = dst->src[0];
    const ggml_tensor * src1 = dst->src[1];

    if (dst->type != GGML_TYPE_F32 || dst->nb[0] != sizeof(float) || src0->nb[0] != ggml_type_size(src0->type) ||
        src1->nb[0] != ggml_type_size(src1->type)) {
        return false;
    }

    const cut c = choose_cut(src0, src1);

    const uint64_t rows    = uint64_t(dst->ne[0]);
    const uint64_t columns = uint64_t(dst->ne[1]);
    const uint64_t batches = uint64_t(dst->ne[2] * dst->ne[3]);

    // Parts of the result in dispatches of their own, where one would be too long or its grid too wide.
    const uint64_t column_groups = std::min(round_up_division(columns, c.columns), max_grid_side);
    const uint64_t part_columns  = std::min(column_groups * c.columns, columns);
    const uint64_t group_work    = c.rows * part_columns * uint64_t(src0->ne[0]);
    const uint64_t part_groups   = std::clamp<uint64_t>(max_dispatch_work / std::max<uint64_t>(group_work, 1), 1, max_grid_side);
    const uint64_t row_groups    = std::min(round_up_division(rows, c.rows), part_groups);
    const uint64_t part_batches  = std::min({std::max<uint64_t>(part_groups / row_groups, 1), batches, max_grid_side});

    for (uint64_t batch = 0; batch < batches; batch += part_batches) {
        for (uint64_t column = 0; column < columns; column += column_groups * c.columns) {
            for (uint64_t row = 0; row < rows; row += row_groups * c.rows) {
                args::mul_mat_args a{};
                a.src0         = e.read(src0);
                a.src1         = e.read(src1);
                a.dst          = e.write(dst);
                a.first_row    = uint32_t(row);
                a.first_column = uint32_t(column);
                a.first_batch  = uint32_t(batch);
                a.lanes        = c.lanes;
                a.ratio_z      = uint32_t(src1->ne[2] / src0->ne[2]);
                a.ratio_w      = uint32_t(src1->ne[3] / src0->ne[3]);

                const uint64_t n_rows    = std::min(rows - row, row_groups * c.rows);
                const uint64_t n_columns = std::min(columns - column, column_groups * c.columns);
                const uint64_t n_batches = std::min(batches - batch, part_batches);
                if (!e.dispatch(c.kernel, a, round_up_division(n_rows, c.rows), round_up_division(n_columns, c.columns), n_batches,
                                n_rows * n_columns * n_batches * uint64_t(src0->ne[0]))) {
                    return false;
                }
            }
        }
    }
    return true;
}

}  // namespace ggml_directx
