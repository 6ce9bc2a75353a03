#include "onnx/ops.h"

#include <limits>

namespace ggml_directx::onnx {

namespace {

// Tables that become part of a session have no more elements than this.
constexpr int64_t max_table = 1 << 20;

bool has_onnx_type(const ggml_tensor * t) {
    return !ggml_is_quantized(t->type) && element_of(t->type) != element::none;
}

// ONNX numbers dimensions from the outermost.
int64_t axis_of(int dim) {
    return 3 - dim;
}

// Positions, among dst's elements, of the part that SET and ACC write.
value part_positions(translator & t, const ggml_tensor * dst, const ggml_tensor * part) {
    const auto    size = int64_t(ggml_type_size(dst->type));
    const int64_t nb[] = { size, dst->op_params[0], dst->op_params[1], dst->op_params[2] };
    require(ggml_nelements(part) <= max_table, "a large part");
    std::vector<int64_t> at;
    for (int64_t i3 = 0; i3 < part->ne[3]; ++i3) {
        for (int64_t i2 = 0; i2 < part->ne[2]; ++i2) {
            for (int64_t i1 = 0; i1 < part->ne[1]; ++i1) {
                for (int64_t i0 = 0; i0 < part->ne[0]; ++i0) {
                    at.push_back((dst->op_params[3] + i0 * nb[0] + i1 * nb[1] + i2 * nb[2] + i3 * nb[3]) / size);
                }
            }
        }
    }
    return t.reshape(t.out.numbers(std::move(at)), { ggml_nelements(part), 1 });
}

bool keeps(const ggml_tensor * dst, int64_t row, int64_t column) {
    switch (dst->op) {
        case GGML_OP_DIAG: return row == column;
        case GGML_OP_DIAG_MASK_INF:
        case GGML_OP_DIAG_MASK_ZERO: return column <= row + dst->op_params[0];
        default: break;
    }
    switch (dst->op_params[0]) {
        case GGML_TRI_TYPE_LOWER: return column < row;
        case GGML_TRI_TYPE_LOWER_DIAG: return column <= row;
        case GGML_TRI_TYPE_UPPER: return column > row;
        default: return column >= row;
    }
}

}  // namespace

void emit_repeat(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    require(has_onnx_type(src) && src->type == dst->type && ggml_can_repeat(src, dst), "types");
    std::vector<int64_t> repeats;
    for (int i = 3; i >= 0; --i) {
        repeats.push_back(dst->ne[i] / src->ne[i]);
    }
    // Tile knows fewer types than others do
    value v = t.read(src);
    v       = src->type == GGML_TYPE_I16 ? t.cast(v, element::i32) : src->type == GGML_TYPE_BF16 ? t.cast(v, element::f32) : v;
    t.write(dst, t.op("Tile", { v, t.out.numbers(std::move(repeats)) }));
}

void emit_repeat_back(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    require(src->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32 && ggml_can_repeat(dst, src), "types");
    dims split;
    for (int i = 3; i >= 0; --i) {
        split.push_back(src->ne[i] / dst->ne[i]);
        split.push_back(dst->ne[i]);
    }
    const int64_t axes[] = { 0, 2, 4, 6 };
    const value   sums   = t.op("ReduceSum", { t.reshape(t.read(src), split), t.out.literal(element::i64, { 4 }, axes) });
    t.write(dst, t.reshape(sums, translator::shape_of(dst)));
}

void emit_concat(translator & t, const ggml_tensor * dst) {
    require(has_onnx_type(dst) && dst->src[0]->type == dst->type && dst->src[1]->type == dst->type, "types");
    t.write(dst, t.concat({ t.read(dst->src[0]), t.read(dst->src[1]) }, axis_of(dst->op_params[0])));
}

void emit_pad(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    require(src->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32, "types");
    const bool           circular = dst->op_params[8] != 0;
    std::vector<int64_t> pads(8);
    for (int i = 0; i < 4; ++i) {
        const int64_t before = dst->op_params[2 * i];
        const int64_t after  = dst->op_params[2 * i + 1];
        require(before >= 0 && after >= 0 && (!circular || (before <= src->ne[i] && after <= src->ne[i])), "padding");
        pads[size_t(3 - i)] = before;
        pads[size_t(7 - i)] = after;
    }
    t.write(dst, circular ? t.op("Pad", { t.read(src), t.out.numbers(pads) }, { { "mode", std::string_view("wrap") } })
                          : t.op("Pad", { t.read(src), t.out.numbers(pads), t.scalar(0.0f) }));
}

void emit_pad_reflect(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    require(src->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32, "types");
    const int64_t before = dst->op_params[0];
    const int64_t after  = dst->op_params[1];
    require(before >= 0 && after >= 0 && before < src->ne[0] && after < src->ne[0], "padding");
    t.write(dst,
            t.op("Pad", { t.read(src), t.out.numbers({ 0, 0, 0, before, 0, 0, 0, after }) }, { { "mode", std::string_view("reflect") } }));
}

void emit_roll(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    require(has_onnx_type(src) && src->type == dst->type, "types");
    value v = t.read(src);
    for (int i = 0; i < 4; ++i) {
        const int64_t n     = src->ne[i];
        const int64_t shift = ((dst->op_params[i] % n) + n) % n;
        if (shift != 0) {
            v = t.concat({ t.slice(v, axis_of(i), n - shift, n), t.slice(v, axis_of(i), 0, n - shift) }, axis_of(i));
        }
    }
    t.write(dst, v);
}

void emit_set(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * whole = dst->src[0];
    const ggml_tensor * part  = dst->src[1];
    require(has_onnx_type(dst) && whole->type == dst->type && part->type == dst->type && ggml_is_contiguous(dst) &&
                ggml_is_contiguous(whole),
            "types");
    require(dst->op == GGML_OP_SET || dst->type == GGML_TYPE_F32, "types");
    std::vector<attribute> how;
    if (dst->op == GGML_OP_ACC) {
        how.push_back({ "reduction", std::string_view("add") });
    }
    const value flat  = t.reshape(t.read(whole), { ggml_nelements(whole) });
    const value added = t.reshape(t.read(part), { ggml_nelements(part) });
    t.write(dst, t.reshape(t.op("ScatterND", { flat, part_positions(t, dst, part), added }, std::move(how)), translator::shape_of(dst)));
}

void emit_generate(translator & t, const ggml_tensor * dst) {
    require(dst->type == GGML_TYPE_F32 || (dst->op == GGML_OP_FILL && dst->type == GGML_TYPE_F16), "types");
    if (dst->op == GGML_OP_FILL) {
        t.write(dst, t.op("Expand", { t.scalar(float_param(dst, 0)), t.out.numbers(translator::shape_of(dst)) }));
        return;
    }
    require(dst->ne[0] <= max_table, "a long range");
    std::vector<float> data;
    for (int64_t i = 0; i < dst->ne[0]; ++i) {
        data.push_back(float_param(dst, 0) + float_param(dst, 2) * float(i));
    }
    t.write(dst, t.out.literal(element::f32, translator::shape_of(dst), data.data()));
}

void emit_mask(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    require(src->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32 && dst->ne[0] * dst->ne[1] <= max_table, "types");
    std::vector<uint8_t> kept;
    for (int64_t row = 0; row < dst->ne[1]; ++row) {
        for (int64_t column = 0; column < dst->ne[0]; ++column) {
            kept.push_back(keeps(dst, row, column));
        }
    }
    const value mask  = t.out.literal(element::boolean, { dst->ne[1], dst->ne[0] }, kept.data());
    const float other = dst->op == GGML_OP_DIAG_MASK_INF ? -std::numeric_limits<float>::infinity() : 0.0f;
    t.write(dst, t.out.add("Where", { mask, t.read(src), t.scalar(other) }, {}, element::f32));
}

}  // namespace ggml_directx::onnx
