#include "ops/mul_mat.h"

#include "kernels/mul_mat_args.h"
#include "kernels/out_prod_args.h"
#include "ops/window.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

namespace ggml_directx {

namespace {

constexpr uint64_t max_grid_side = 65535;

// One dispatch of so many multiply-adds ends within the watchdog's time on a slow device; see also encoder::dispatch.
constexpr uint64_t max_dispatch_work = 200'000'000'000;

// As in mul_mat_vec.hlsl and mul_mat_id_group.hlsl
constexpr uint64_t vec_group_size  = 64;
constexpr uint64_t vec_thread_rows = 4;
constexpr uint64_t vec_columns     = 8;
constexpr int64_t  max_experts     = 1024;

constexpr uint64_t round_up_division(uint64_t n, uint64_t by) {
    return (n + by - 1) / by;
}

// The elements of the result that one group computes, and with which kernel.
struct cut {
    std::string kernel;
    uint64_t    rows    = 0;
    uint64_t    columns = 0;
    uint32_t    lanes   = 1;
};

// What the parts of a product have in common.
struct product {
    const ggml_tensor * src0;
    const ggml_tensor * src1;
    const ggml_tensor * dst;
    std::string         types;
    uint64_t            rows;
    uint64_t            length;  // of rows and columns
    uint64_t            batches;

    explicit product(const ggml_tensor * tensor)
        : src0(tensor->src[0]), src1(tensor->src[1]), dst(tensor),
          types(std::string(ggml_type_name(src0->type)) + "." + ggml_type_name(src1->type) + "."), rows(uint64_t(dst->ne[0])),
          length(uint64_t(src0->ne[0])), batches(uint64_t(dst->ne[2] * dst->ne[3])) {}

    // `e` lets a thread loop over its share of a row, which is smallest with the most lanes there may be.
    bool has_rows(const encoder & e) const {
        return e.can_loop(length / (8 * 8) + 8) && dst->type == GGML_TYPE_F32 && dst->nb[0] == sizeof(float) &&
               src0->nb[0] == ggml_type_size(src0->type) && src1->nb[0] == ggml_type_size(src1->type);
    }
};

// `groups`: groups that columns and batches make of each row of groups.
cut vec_cut(const encoder & e, const product & p, uint64_t columns, uint64_t groups) {
    cut c;
    c.columns = std::bit_ceil(std::min(columns, vec_columns));
    c.kernel  = "mul_mat_vec." + p.types + std::to_string(c.columns);

    // Where a CPU plays the GPU, sums that never meet are best, if there are rows enough to keep its cores busy.
    // Elsewhere short rows would leave threads of a large team idle: smaller teams take more rows instead.
    const bool many = round_up_division(p.rows, vec_group_size * vec_thread_rows) * groups >= 4;
    if (e.caps().cpu) {
        c.lanes = many && e.can_loop(p.length / 8 + 8) ? 1 : 8;
    } else {
        c.lanes = uint32_t(std::clamp<uint64_t>(std::bit_floor(p.length / 16 + 1), 8, vec_group_size));
    }
    c.rows = vec_group_size / c.lanes * vec_thread_rows;
    return c;
}

cut tile_cut(const encoder & e, const product & p, uint64_t columns) {
    cut c;
    c.rows   = columns > 32 && p.rows > 32 ? 64 : 32;
    c.kernel = "mul_mat_tile." + p.types;
    if (c.rows == 64 && !e.has(c.kernel + "64")) {
        c.rows = 32;
    }
    c.columns = c.rows;
    c.kernel += std::to_string(c.rows);
    return c;
}

// A tile's rows begin in fours.
bool can_tile(const encoder & e, const product & p) {
    return !e.caps().cpu && p.rows >= 4 && e.can_loop(p.length + p.length / 8);
}

// Emits the dispatches for columns [first, end), or for tiles of them. `bind` fills what depends on the kind of product
// and binds the slots.
template <typename bind_fn>
bool encode_parts(encoder & e, const product & p, const cut & c, uint64_t first, uint64_t end, uint64_t columns_per_group,
                  const bind_fn & bind) {
    const uint64_t all_columns = round_up_division(end - first, columns_per_group);
    const uint64_t all_rows    = round_up_division(p.rows, c.rows);

    // Parts of the result in dispatches of their own, where one would be too long or its grid too wide.
    const uint64_t group_work = std::max<uint64_t>(c.rows * c.columns * p.length, 1);
    const uint64_t budget     = std::max<uint64_t>(max_dispatch_work / group_work, 1);
    const uint64_t n_columns  = std::min({ all_columns, max_grid_side, budget });
    const uint64_t n_rows     = std::min({ all_rows, max_grid_side, std::max<uint64_t>(budget / n_columns, 1) });
    const uint64_t n_batches  = std::min({ p.batches, max_grid_side, std::max<uint64_t>(budget / n_columns / n_rows, 1) });

    for (uint64_t batch = 0; batch < p.batches; batch += n_batches) {
        for (uint64_t column = 0; column < all_columns; column += n_columns) {
            for (uint64_t row = 0; row < all_rows; row += n_rows) {
                const uint64_t x = std::min(n_rows, all_rows - row);
                const uint64_t y = std::min(n_columns, all_columns - column);
                const uint64_t z = std::min(n_batches, p.batches - batch);

                args::mul_mat_args a = bind();
                a.first_row          = uint32_t(row * c.rows);
                a.first_column       = uint32_t(first + column * columns_per_group);
                a.first_batch        = uint32_t(batch);
                a.end_column         = uint32_t(end);
                a.lanes              = c.lanes;
                if (!e.dispatch(c.kernel, a, x, y, z, x * y * z * group_work)) {
                    return false;
                }
            }
        }
    }
    return true;
}

}  // namespace

bool encode_mul_mat(encoder & e, const ggml_tensor * dst) {
    const product p(dst);
    if (!p.has_rows(e)) {
        return false;
    }

    const auto bind = [&] {
        args::mul_mat_args a{};
        a.src0    = e.read(p.src0);
        a.src1    = e.read(p.src1);
        a.dst     = e.write(p.dst);
        a.ids     = e.none();
        a.mode    = MUL_MAT_PLAIN;
        a.ratio_z = uint32_t(p.src1->ne[2] / p.src0->ne[2]);
        a.ratio_w = uint32_t(p.src1->ne[3] / p.src0->ne[3]);
        return a;
    };

    const uint64_t columns = uint64_t(dst->ne[1]);
    if (columns > vec_columns && can_tile(e, p)) {
        const cut c = tile_cut(e, p, columns);
        return encode_parts(e, p, c, 0, columns, c.columns, bind);
    }

    // Eights of columns, then what is left with the kernel that fits it.
    const uint64_t eights = columns / vec_columns * vec_columns;
    if (eights > 0) {
        const cut c = vec_cut(e, p, vec_columns, eights / vec_columns * p.batches);
        if (!encode_parts(e, p, c, 0, eights, c.columns, bind)) {
            return false;
        }
    }
    if (eights < columns) {
        const cut c = vec_cut(e, p, columns - eights, p.batches);
        return encode_parts(e, p, c, eights, columns, c.columns, bind);
    }
    return true;
}

bool encode_mul_mat_id(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * ids = dst->src[2];

    product p(dst);
    if (!p.has_rows(e) || ids->type != GGML_TYPE_I32 || p.src0->ne[3] != 1 || dst->ne[3] != 1) {
        return false;
    }

    const uint64_t slots   = uint64_t(ids->ne[0]);
    const uint64_t tokens  = uint64_t(ids->ne[1]);
    const uint64_t pairs   = slots * tokens;
    const uint64_t experts = uint64_t(p.src0->ne[2]);

    // Slots and tokens take the place of batches, and a batch is one column.
    const auto bind = [&](const ggml_tensor * matrices) {
        args::mul_mat_args a{};
        a.src0    = e.read(matrices);
        a.src1    = e.read(p.src1);
        a.dst     = e.write(p.dst);
        a.ratio_z = 1;
        a.ratio_w = 1;
        for (args::tensor_args * t : { &a.src1, &a.dst }) {
            t->ne = { t->ne[0], 1, t->ne[1], t->ne[2] };
            t->nb = { t->nb[0], 0, t->nb[1], t->nb[2] };
        }
        return a;
    };

    const std::vector<window> windows = windows_of(e, p.src0, 2);

    // Few pairs for an expert: each on its own.
    if (windows.size() == 1 && (pairs < 2 * experts || pairs <= vec_columns || p.src0->ne[2] > max_experts)) {
        p.batches   = pairs;
        const cut c = vec_cut(e, p, 1, pairs);
        return encode_parts(e, p, c, 0, 1, 1, [&] {
            args::mul_mat_args a = bind(p.src0);
            a.ids                = e.read(ids);
            a.mode               = MUL_MAT_INDEXED;
            return a;
        });
    }

    // Otherwise sort them by expert first. How many tiles that makes is known to the device only: there is room for the
    // most, and the rest find that they have no columns. So do the pairs of experts that are beyond this window.
    const uint64_t mean = pairs / experts;
    const cut      c    = mean >= 8 && can_tile(e, p) ? tile_cut(e, p, mean) : vec_cut(e, p, vec_columns, pairs / vec_columns);

    p.batches = 1;
    for (const window & w : windows) {
        if (w.tensor.ne[2] > max_experts) {
            return false;
        }
        args::mul_mat_group_args g{};
        g.pairs   = uint32_t(pairs);
        g.experts = uint32_t(w.tensor.ne[2]);
        g.first   = uint32_t(w.first);
        g.last    = uint32_t(experts - 1);
        g.tile    = uint32_t(c.columns);
        g.tiles   = uint32_t(std::min(pairs / c.columns + g.experts, pairs));
        if (!e.can_loop(g.tiles + 2 * vec_group_size)) {
            return false;
        }
        g.tiles_at = uint32_t(pairs * sizeof(uint32_t));

        const region lists = e.scratch(g.tiles_at + uint64_t(g.tiles) * 16);
        g.ids              = e.read(ids);
        g.lists            = e.write(lists);
        if (!e.dispatch("mul_mat_id_group", g, 1, 1, 1)) {
            return false;
        }
        const bool done = encode_parts(e, p, c, 0, g.tiles, 1, [&] {
            args::mul_mat_args a = bind(&w.tensor);
            a.ids.offset         = e.read(lists);
            a.ids.nb[0]          = g.tiles_at;
            a.mode               = MUL_MAT_GROUPED;
            return a;
        });
        if (!done) {
            return false;
        }
    }
    return !windows.empty();
}

bool encode_out_prod(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src0 = dst->src[0];
    const ggml_tensor * src1 = dst->src[1];

    if (src1->type != GGML_TYPE_F32 || dst->type != GGML_TYPE_F32 || dst->nb[0] != sizeof(float) ||
        src0->nb[0] != ggml_type_size(src0->type) || !e.can_loop(uint64_t(src0->ne[1]))) {
        return false;
    }

    args::out_prod_args a{};
    a.src0    = e.read(src0);
    a.src1    = e.read(src1);
    a.dst     = e.write(dst);
    a.chunks  = uint32_t(round_up_division(uint64_t(dst->ne[0]), 8));
    a.fours   = uint32_t(round_up_division(uint64_t(dst->ne[1]), 4));
    a.ratio_z = uint32_t(dst->ne[2] / src0->ne[2]);
    a.ratio_w = uint32_t(dst->ne[3] / src0->ne[3]);

    const uint64_t count = uint64_t(a.chunks) * a.fours * uint64_t(dst->ne[2] * dst->ne[3]);
    if (count > UINT32_MAX / 2) {
        return false;
    }
    a.count = uint32_t(count);
    return e.dispatch_linear(std::string("out_prod.") + ggml_type_name(src0->type), a, round_up_division(count, 64),
                             uint64_t(ggml_nelements(dst)) * uint64_t(src0->ne[1]));
}

}  // namespace ggml_directx
