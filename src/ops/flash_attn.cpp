#include "ops/flash_attn.h"

#include "kernels/flash_attn_args.h"
#include "ops/mul_mat.h"
#include "ops/soft_max.h"
#include "ops/unary.h"
#include "ops/window.h"

#include <algorithm>
#include <bit>
#include <string>

namespace ggml_directx {

namespace {

// kernels/flash_attn_decode.hlsl, flash_attn_tile.hlsl
constexpr uint64_t decode_max_rows = 4;     // at once
constexpr uint64_t decode_capacity = 2304;  // elements of Q at once
constexpr uint64_t max_width       = 512;   // of V, for all kernels
constexpr uint64_t tile_rows       = 32;
constexpr uint64_t tile_columns    = 64;  // of both

// With more rows to a KV head than this, a tile's unused rows cost less than reading K and V again for each few.
constexpr uint64_t decode_rows_limit = 8;

// Columns are split until about so many groups are under way, but not into pieces shorter than these.
constexpr uint64_t wanted_groups     = 512;
constexpr uint64_t min_split_columns = 2 * tile_columns;
constexpr uint64_t unsplit_columns   = 4 * tile_columns;
constexpr uint64_t max_splits        = 128;

// A dispatch cannot be interrupted: at a few tens of billions of multiply-adds a second this ends well within the
// watchdog's 2 seconds.
constexpr uint64_t max_dispatch_work = uint64_t(1) << 34;

constexpr uint64_t reduce_group_size = 128;

// Attention as products: scores under way at once
constexpr int64_t max_scores = 1 << 22;

constexpr uint64_t round_up_division(uint64_t n, uint64_t by) {
    return (n + by - 1) / by;
}

// Types that the "any" kernels read.
bool is_known_type(ggml_type type) {
    switch (type) {
        case GGML_TYPE_F32:
        case GGML_TYPE_F16:
        case GGML_TYPE_BF16:
        case GGML_TYPE_Q4_0:
        case GGML_TYPE_Q4_1:
        case GGML_TYPE_Q5_0:
        case GGML_TYPE_Q5_1:
        case GGML_TYPE_Q8_0:
        case GGML_TYPE_IQ4_NL:
        case GGML_TYPE_Q1_0:
        case GGML_TYPE_Q2_0: return true;
        default: return false;
    }
}

bool has_packed_rows(const ggml_tensor * t) {
    return t->nb[0] == ggml_type_size(t->type);
}

struct kernel_choice {
    std::string name;
    uint64_t    rows = 0;  // in a tile
};

// An empty name where no kernel fits.
kernel_choice choose_kernel(const encoder & e, const ggml_tensor * k, const ggml_tensor * v, uint64_t rows) {
    const uint64_t width = uint64_t(v->ne[0]);

    if (k->type == v->type && width <= max_width && rows <= decode_rows_limit) {
        kernel_choice c;
        c.rows = rows == 1 || uint64_t(k->ne[0]) * decode_max_rows > decode_capacity ? 1 : decode_max_rows;
        c.name = std::string("flash_attn_decode.") + ggml_type_name(k->type) + "." + std::to_string(c.rows);
        if (uint64_t(k->ne[0]) * c.rows <= decode_capacity && e.has(c.name)) {
            return c;
        }
    }
    for (uint64_t tile_width : { 64, 128, 256, 512 }) {
        const bool        f16  = k->type == GGML_TYPE_F16 && v->type == GGML_TYPE_F16;
        const std::string name = std::string("flash_attn_tile.") + (f16 ? "f16." : "any.") + std::to_string(tile_width);
        if (width <= tile_width && e.has(name)) {
            return { name, tile_rows };
        }
    }
    return {};
}

struct parameters {
    float scale;
    float max_bias;
    float softcap;

    explicit parameters(const ggml_tensor * dst) {
        std::memcpy(&scale, dst->op_params + 0, sizeof(float));
        std::memcpy(&max_bias, dst->op_params + 1, sizeof(float));
        std::memcpy(&softcap, dst->op_params + 2, sizeof(float));
    }
};

// A CPU that plays the GPU pays dearly for the kernels' groupshared tiles and barriers: products and a softmax, with the
// scores in memory, take a fifth of the time.
bool prefers_products(const encoder & e, const ggml_tensor * k, const ggml_tensor * v) {
    return e.caps().cpu && k->ne[1] > 0 && e.has(std::string("mul_mat_vec.") + ggml_type_name(k->type) + ".f32.1") &&
           e.has(std::string("out_prod.") + ggml_type_name(v->type));
}

bool encode_products(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * q    = dst->src[0];
    ggml_tensor *       k    = dst->src[1];
    ggml_tensor *       v    = dst->src[2];
    const ggml_tensor * mask = dst->src[3];
    const parameters    p(dst);

    const int64_t at_once = std::clamp<int64_t>(max_scores / std::max<int64_t>(1, k->ne[1] * q->ne[2] * q->ne[3]), 1, q->ne[1]);
    ggml_tensor   all     = e.temporary(GGML_TYPE_F32, { k->ne[1], at_once, q->ne[2], q->ne[3] });

    for (int64_t first = 0; first < q->ne[1]; first += at_once) {
        const int64_t count = std::min(at_once, q->ne[1] - first);

        ggml_tensor queries = slice_of(q, 1, first, count);
        ggml_tensor scores  = slice_of(&all, 1, 0, count);
        scores.src[0]       = k;
        scores.src[1]       = &queries;
        if (!encode_mul_mat(e, &scores)) {
            return false;
        }

        // softcap * tanh(score * scale / softcap): the softmax multiplies by the first factor.
        float factor  = p.scale;
        scores.src[0] = &scores;
        if (p.softcap != 0.0f) {
            factor             = p.softcap;
            const float inside = p.scale / p.softcap;
            scores.op          = GGML_OP_SCALE;
            std::memcpy(scores.op_params, &inside, sizeof(float));
            std::memset(scores.op_params + 1, 0, sizeof(float));
            if (!encode_unary(e, &scores)) {
                return false;
            }
            scores.op           = GGML_OP_UNARY;
            scores.op_params[0] = GGML_UNARY_OP_TANH;
            if (!encode_unary(e, &scores)) {
                return false;
            }
        }

        ggml_tensor seen;
        scores.src[1] = nullptr;
        scores.src[2] = dst->src[4];
        if (mask) {
            seen          = slice_of(mask, 1, first, count);
            seen.ne[0]    = k->ne[1];
            scores.src[1] = &seen;
        }
        std::memcpy(scores.op_params, &factor, sizeof(float));
        std::memcpy(scores.op_params + 1, &p.max_bias, sizeof(float));
        if (!encode_soft_max_or(e, &scores, 0.0f)) {
            return false;
        }

        // out[d, query] = the sum over columns of v[d, column] * weights[query, column]
        ggml_tensor weights = scores;
        std::swap(weights.ne[0], weights.ne[1]);
        std::swap(weights.nb[0], weights.nb[1]);
        ggml_tensor out = slice_of(dst, 2, first, count);
        std::swap(out.ne[1], out.ne[2]);
        std::swap(out.nb[1], out.nb[2]);
        out.src[0] = v;
        out.src[1] = &weights;
        if (!encode_out_prod(e, &out)) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool encode_flash_attn_ext(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * q     = dst->src[0];
    const ggml_tensor * k     = dst->src[1];
    const ggml_tensor * v     = dst->src[2];
    const ggml_tensor * mask  = dst->src[3];
    const ggml_tensor * sinks = dst->src[4];

    if (q->type != GGML_TYPE_F32 || dst->type != GGML_TYPE_F32 || !is_known_type(k->type) || !is_known_type(v->type) ||
        (mask && (mask->type != GGML_TYPE_F16 || !has_packed_rows(mask))) || (sinks && sinks->type != GGML_TYPE_F32)) {
        return false;
    }
    if (!has_packed_rows(q) || !has_packed_rows(k) || !has_packed_rows(v) || !has_packed_rows(dst)) {
        return false;
    }
    // The kernels read 8 elements at a time, and hold one KV head for a tile of rows.
    if (k->ne[0] % 8 != 0 || v->ne[0] % 8 != 0 || k->ne[1] != v->ne[1] || k->ne[2] != v->ne[2] || q->ne[2] % k->ne[2] != 0 ||
        k->ne[3] != q->ne[3] || v->ne[3] != q->ne[3]) {
        return false;
    }
    if (mask && (mask->ne[0] < k->ne[1] || mask->ne[1] < q->ne[1])) {
        return false;
    }

    if (!e.can_loop(uint64_t(k->ne[1]))) {
        return false;
    }
    if (prefers_products(e, k, v)) {
        return encode_products(e, dst);
    }

    const uint64_t heads    = uint64_t(q->ne[2] / k->ne[2]);
    const uint64_t rows     = heads * uint64_t(q->ne[1]);
    const uint64_t kv_heads = uint64_t(k->ne[2]);
    const uint64_t batches  = uint64_t(q->ne[3]);
    const uint64_t columns  = uint64_t(k->ne[1]);
    const uint64_t out_rows = uint64_t(ggml_nrows(dst));
    const uint64_t width    = uint64_t(v->ne[0]);

    const kernel_choice kernel = choose_kernel(e, k, v, rows);
    if (kernel.name.empty() || rows > UINT32_MAX || out_rows > UINT32_MAX) {
        return false;
    }
    const uint64_t row_tiles = round_up_division(rows, kernel.rows);

    uint64_t splits = 1;
    if (columns > unsplit_columns) {
        splits = std::min({ round_up_division(wanted_groups, row_tiles * kv_heads * batches), columns / min_split_columns, max_splits });
    }
    const uint64_t split_columns =
        std::max<uint64_t>(1, round_up_division(round_up_division(columns, splits), tile_columns)) * tile_columns;
    splits = std::max<uint64_t>(1, round_up_division(columns, split_columns));

    const parameters p(dst);

    const uint32_t n_head_log2 = std::bit_floor(uint32_t(q->ne[2]));

    region partial;
    if (splits > 1) {
        partial = e.scratch(splits * out_rows * (width + 2) * sizeof(float));
    }

    const uint64_t tile_work     = kernel.rows * columns * (uint64_t(k->ne[0]) + width) * kv_heads * batches;
    const uint64_t dispatch_size = std::clamp<uint64_t>(max_dispatch_work / std::max<uint64_t>(1, tile_work), 1, row_tiles);

    for (uint64_t first = 0; first < row_tiles; first += dispatch_size) {
        args::flash_attn_args a{};
        a.q     = e.read(q);
        a.k     = e.read(k);
        a.v     = e.read(v);
        a.mask  = mask ? e.read(mask) : e.none();
        a.sinks = sinks ? e.read(sinks) : e.none();
        if (splits > 1) {
            a.partial = e.write(partial);
            for (int i = 0; i < 4; ++i) {
                a.dst.ne[i] = uint32_t(dst->ne[i]);
            }
        } else {
            a.dst = e.write(dst);
        }
        a.heads         = uint32_t(heads);
        a.rows          = uint32_t(rows);
        a.row_tiles     = uint32_t(std::min(dispatch_size, row_tiles - first));
        a.first_tile    = uint32_t(first);
        a.splits        = uint32_t(splits);
        a.split_columns = uint32_t(split_columns);
        a.has_mask      = mask ? 1 : 0;
        a.has_sinks     = sinks ? 1 : 0;
        a.k_type        = uint32_t(k->type);
        a.v_type        = uint32_t(v->type);
        a.n_head_log2   = n_head_log2;
        a.scale         = p.softcap == 0.0f ? p.scale : p.scale / p.softcap;
        a.softcap       = p.softcap;
        a.alibi         = p.max_bias > 0.0f ? p.max_bias / float(n_head_log2) : 0.0f;
        a.out_rows      = uint32_t(out_rows);
        if (!mask) {  // rows of a mask are looked up all the same, modulo its sizes
            a.mask.ne = { 1, 1, 1, 1 };
        }
        if (!e.dispatch(kernel.name, a, a.row_tiles * kv_heads, splits, batches, tile_work * a.row_tiles)) {
            return false;
        }
    }

    if (splits > 1) {
        args::flash_attn_reduce_args a{};
        a.partial   = e.read(partial);
        a.sinks     = sinks ? e.read(sinks) : e.none();
        a.dst       = e.write(dst);
        a.splits    = uint32_t(splits);
        a.out_rows  = uint32_t(out_rows);
        a.has_sinks = sinks ? 1 : 0;
        return e.dispatch_linear("flash_attn_reduce", a, round_up_division(out_rows * (width / 4), reduce_group_size));
    }
    return true;
}

}  // namespace ggml_directx
