#include "onnx/ops.h"

namespace ggml_directx::onnx {

namespace {

// Rows of [ne3, ne2, ne1] tables, as positions among all rows; the index repeats over the outer dimensions.
value row_positions(translator & t, const ggml_tensor * rows, const ggml_tensor * table, int64_t ne2, int64_t ne3) {
    value at = t.cast(t.read(rows), element::i64);  // [1, i2, i1, i0]
    at       = t.reshape(at, { rows->ne[2], rows->ne[1], rows->ne[0] });
    if (ne2 == 1 && ne3 == 1) {
        return at;
    }
    require(rows->ne[1] > 0 && rows->ne[2] > 0 && ne2 % rows->ne[1] == 0 && ne3 % rows->ne[2] == 0, "shape of indices");
    if (rows->ne[1] != ne2 || rows->ne[2] != ne3) {
        at = t.op("Tile", { at, t.out.numbers({ ne3 / rows->ne[2], ne2 / rows->ne[1], 1 }) });
    }
    std::vector<int64_t> first;
    for (int64_t i = 0; i < ne2 * ne3; ++i) {
        first.push_back(i * table->ne[1]);
    }
    return t.op("Add", { at, t.reshape(t.out.numbers(std::move(first)), { ne3, ne2, 1 }) });
}

}  // namespace

void emit_get_rows(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * src  = dst->src[0];
    const ggml_tensor * rows = dst->src[1];
    require(rows->type == GGML_TYPE_I32 && rows->ne[3] == 1 && src->ne[2] == rows->ne[1] && src->ne[3] == rows->ne[2], "indices");
    const value table = t.reshape(t.read(src), { src->ne[1] * src->ne[2] * src->ne[3], src->ne[0] });
    const value at    = row_positions(t, rows, src, src->ne[2], src->ne[3]);
    const value found = t.op("Gather", { table, at }, { { "axis", int64_t(0) } });
    t.write(dst, t.reshape(found, translator::shape_of(dst)));
}

void emit_set_rows(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * src  = dst->src[0];
    const ggml_tensor * rows = dst->src[1];
    const element       type = element_of(dst->type);
    require((rows->type == GGML_TYPE_I32 || rows->type == GGML_TYPE_I64) && !ggml_is_quantized(dst->type) && type != element::none,
            "types");

    const ggml_tensor * root  = root_of(dst);
    const bool          whole = dst->view_offs == 0 && ggml_is_contiguous(dst) && ggml_nelements(dst) == ggml_nelements(root);
    const int64_t       n     = ggml_nrows(src);
    const dims          shape = { dst->ne[1] * dst->ne[2] * dst->ne[3], dst->ne[0] };
    if (whole) {
        t.expect_rows(root, shape);
    }
    const value before  = t.reshape(t.read(dst->src[2]), shape);
    const value at      = t.reshape(row_positions(t, rows, dst, src->ne[2], src->ne[3]), { n, 1 });
    const value updates = t.reshape(t.cast(t.read(src), type), { n, src->ne[0] });
    const value after   = t.op("ScatterND", { before, at, updates });
    if (whole) {
        t.write_root(dst, after, shape, before);
    } else {
        t.write(dst, t.reshape(after, translator::shape_of(dst)));
    }
}

}  // namespace ggml_directx::onnx
