#include "onnx/ops.h"

#include "onnx/weights.h"

namespace ggml_directx::onnx {

namespace {

// A product with a matrix of constants, [.., m, k] x [n, k].
value weight_product(translator & t, const ggml_tensor * w, value x) {
    const int64_t k = w->ne[0];
    const int64_t n = w->ne[1];
    if (const nbits_format f = nbits_of(w->type, k, t.to()); f.bits != 0) {
        const int64_t blocks = k / f.block;
        const auto    part   = [&](weight_form form, element type, dims shape) {
            return t.weight(w, form, type, std::move(shape), f.bits, f.block, f.fresh);
        };
        std::vector<value> inputs = {
            x,
            part(weight_form::nbits, element::u8, { n, blocks, f.block * f.bits / 8 }),
            part(weight_form::nbits_scale, element::f32, { n * blocks }),
        };
        if (f.has_zeros()) {
            inputs.push_back(part(weight_form::nbits_zero, element::u8, { n, (blocks + 1) / 2 }));
        }
        // products in integers where the EP can, as ggml's own CPU backend multiplies
        return t.microsoft(
            "MatMulNBits", std::move(inputs),
            { { "K", k }, { "N", n }, { "bits", int64_t(f.bits) }, { "block_size", int64_t(f.block) }, { "accuracy_level", int64_t(4) } });
    }
    // f16 is exact already; of the others f16 is what the user may ask for
    if (t.to().policy == weight_policy::f16 && w->type != GGML_TYPE_F16) {
        return t.op("MatMul", { x, t.cast(t.weight(w, weight_form::transposed16, element::f16, { k, n }), element::f32) });
    }
    return t.op("MatMul", { x, t.weight(w, weight_form::transposed, element::f32, { k, n }) });
}

// Elements of experts' matrices that lie side by side at once.
constexpr int64_t max_gathered = 1 << 25;

bool is_matrix_weight(const ggml_tensor * w) {
    return translator::is_weight(w) && !w->view_src && w->ne[2] == 1 && w->ne[3] == 1;
}

bool is_readable(const ggml_tensor * t) {
    return t->type == GGML_TYPE_F32 || t->type == GGML_TYPE_F16 || t->type == GGML_TYPE_BF16 || ggml_is_quantized(t->type);
}

}  // namespace

void emit_mul_mat(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * w = dst->src[0];
    const ggml_tensor * x = dst->src[1];
    require(is_readable(w) && (x->type == GGML_TYPE_F32 || x->type == GGML_TYPE_F16 || x->type == GGML_TYPE_BF16) &&
                dst->type == GGML_TYPE_F32,
            "types");
    if (is_matrix_weight(w)) {
        t.write(dst, weight_product(t, w, t.read_f32(x)));
        return;
    }
    const int64_t r2 = x->ne[2] / w->ne[2];
    const int64_t r3 = x->ne[3] / w->ne[3];
    value         a  = t.read_f32(x);
    value         b  = t.transpose(t.read_f32(w), { 0, 1, 3, 2 });
    // Consecutive matrices of x share one of w: they are more rows of one product.
    if (r3 != 1) {
        // [ne3 / r3, r3, ..] only merges where there is one matrix of w in between
        require(w->ne[2] == 1, "sharing in two dimensions");
        a = t.reshape(a, { w->ne[3], 1, r3 * x->ne[2] * x->ne[1], x->ne[0] });
    } else if (r2 != 1) {
        a = t.reshape(a, { x->ne[3], w->ne[2], r2 * x->ne[1], x->ne[0] });
    }
    value y = t.op("MatMul", { a, b });
    if (r2 != 1 || r3 != 1) {
        y = t.reshape(y, translator::shape_of(dst));
    }
    t.write(dst, y);
}

// The experts' matrices are gathered for each token and expert used. [tokens, used, 1, k] x [tokens, used, k, n]
void emit_mul_mat_id(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * w   = dst->src[0];
    const ggml_tensor * x   = dst->src[1];
    const ggml_tensor * ids = dst->src[2];
    require(is_readable(w) && x->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32 && ids->type == GGML_TYPE_I32 && w->ne[3] == 1,
            "types");
    const int64_t tokens = ids->ne[1];
    const int64_t used   = ids->ne[0];
    require(tokens * used * w->ne[1] * w->ne[0] <= max_gathered, "experts' matrices of too many tokens");
    const value table  = t.reshape(t.read_f32(w), { w->ne[2], w->ne[1], w->ne[0] });
    const value picks  = t.reshape(t.read(ids), { tokens, used });
    const value chosen = t.op("Gather", { table, picks }, { { "axis", int64_t(0) } });  // [tokens, used, n, k]
    const value column = t.reshape(t.read(x), { tokens, x->ne[1], x->ne[0], 1 });       // used, or 1 for all
    t.write(dst, t.reshape(t.op("MatMul", { chosen, column }), translator::shape_of(dst)));
}

void emit_out_prod(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * a = dst->src[0];
    const ggml_tensor * b = dst->src[1];
    require(is_readable(a) && b->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32, "types");
    require(a->ne[3] == b->ne[3] && (a->ne[2] == b->ne[2] || a->ne[2] == 1), "sharing");
    // dst[i1][i0] = sum over j of b[j][i1] a[j][i0]
    t.write(dst, t.op("MatMul", { t.transpose(t.read(b), { 0, 1, 3, 2 }), t.read_f32(a) }));
}

}  // namespace ggml_directx::onnx
