#include "onnx/ops.h"

#include <bit>
#include <cmath>

namespace ggml_directx::onnx {

namespace {

// The slopes that ALiBi multiplies the mask with, [1, heads, 1, 1].
value slopes(translator & t, int64_t heads, float max_bias) {
    const uint32_t     base = std::bit_floor(uint32_t(heads));
    const float        m0   = std::pow(2.0f, -max_bias / float(base));
    const float        m1   = std::pow(2.0f, -max_bias / 2.0f / float(base));
    std::vector<float> s;
    for (uint32_t h = 0; h < uint32_t(heads); ++h) {
        s.push_back(h < base ? std::pow(m0, float(h + 1)) : std::pow(m1, float(2 * (h - base) + 1)));
    }
    return t.out.literal(element::f32, { 1, heads, 1, 1 }, s.data());
}

// Scores [batch, heads, rows, columns] plus the mask; the mask repeats over heads and batches, and may have more rows.
value masked(translator & t, value scores, const ggml_tensor * mask, int64_t rows, int64_t heads, int64_t batch, float max_bias) {
    if (!mask) {
        return scores;
    }
    require(mask->type == GGML_TYPE_F16 || mask->type == GGML_TYPE_F32, "type of mask");
    require(mask->ne[1] >= rows && heads % mask->ne[2] == 0 && batch % mask->ne[3] == 0, "shape of mask");
    value m = t.read_f32(mask);
    if (mask->ne[1] != rows) {
        m = t.slice(m, 2, 0, rows);
    }
    const int64_t tile2 = mask->ne[2] == 1 ? 1 : heads / mask->ne[2];
    const int64_t tile3 = mask->ne[3] == 1 ? 1 : batch / mask->ne[3];
    if (tile2 != 1 || tile3 != 1) {
        m = t.op("Tile", { m, t.out.numbers({ tile3, tile2, 1, 1 }) });
    }
    if (max_bias > 0.0f) {
        m = t.op("Mul", { m, slopes(t, heads, max_bias) });
    }
    return t.op("Add", { scores, m });
}

// With sinks, one more column takes part in the sum and is dropped.
value soft_max(translator & t, value scores, const ggml_tensor * sinks, int64_t batch, int64_t heads, int64_t rows, int64_t columns) {
    if (!sinks) {
        return t.op("Softmax", { scores }, { { "axis", int64_t(-1) } });
    }
    require(sinks->type == GGML_TYPE_F32 && sinks->ne[0] == heads && ggml_nelements(sinks) == heads, "sinks");
    const value one  = t.reshape(t.read(sinks), { 1, heads, 1, 1 });
    const value each = t.op("Expand", { one, t.out.numbers({ batch, heads, rows, 1 }) });
    const value all  = t.op("Softmax", { t.concat({ scores, each }, 3) }, { { "axis", int64_t(-1) } });
    return t.slice(all, 3, 0, columns);
}

}  // namespace

void emit_soft_max(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * x        = dst->src[0];
    const float         scale    = float_param(dst, 0);
    const float         max_bias = float_param(dst, 1);
    require(x->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32, "types");
    value v = t.read(x);
    if (scale != 1.0f) {
        v = t.op("Mul", { v, t.scalar(scale) });
    }
    v = masked(t, v, dst->src[1], x->ne[1], x->ne[2], x->ne[3], max_bias);
    t.write(dst, soft_max(t, v, dst->src[2], x->ne[3], x->ne[2], x->ne[1], x->ne[0]));
}

void emit_flash_attn_ext(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * q    = dst->src[0];
    const ggml_tensor * k    = dst->src[1];
    const ggml_tensor * v    = dst->src[2];
    const ggml_tensor * mask = dst->src[3];
    require(q->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32, "types");
    require(q->ne[3] == k->ne[3] && k->ne[3] == v->ne[3] && k->ne[2] == v->ne[2] && q->ne[2] % k->ne[2] == 0, "shapes");

    const float   max_bias = float_param(dst, 1);
    const float   cap      = float_param(dst, 2);
    const float   scale    = float_param(dst, 0) / (cap != 0.0f ? cap : 1.0f);
    const int64_t batch    = q->ne[3];
    const int64_t heads    = q->ne[2];
    const int64_t rows     = q->ne[1];
    const int64_t shared   = k->ne[2];
    const int64_t columns  = k->ne[1];

    // Heads that share one of K and V are more rows of one product. With one row each, a mask that all share fits as it is.
    const bool grouped = heads != shared && (rows > 1 || max_bias > 0.0f || dst->src[4] || (mask && mask->ne[2] != 1));
    value      queries = t.op("Mul", { t.read(q), t.scalar(scale) });
    if (heads != shared) {
        queries = t.reshape(queries, { batch, shared, heads / shared * rows, q->ne[0] });
    }
    value scores = t.op("MatMul", { queries, t.transpose(t.read_f32(k), { 0, 1, 3, 2 }) });
    if (grouped) {
        scores = t.reshape(scores, { batch, heads, rows, columns });
    }
    if (cap != 0.0f) {
        scores = t.op("Mul", { t.op("Tanh", { scores }), t.scalar(cap) });
    }
    scores = masked(t, scores, mask, rows, heads, batch, max_bias);

    value weights = soft_max(t, scores, dst->src[4], batch, heads, rows, columns);
    if (grouped) {
        weights = t.reshape(weights, { batch, shared, heads / shared * rows, columns });
    }
    value mixed = t.op("MatMul", { weights, t.read_f32(v) });
    if (heads != shared) {
        mixed = t.reshape(mixed, { batch, heads, rows, v->ne[0] });
    }
    t.write(dst, t.transpose(mixed, { 0, 2, 1, 3 }));
}

}  // namespace ggml_directx::onnx
