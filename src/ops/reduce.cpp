#include "ops/reduce.h"

#include "kernels/reduce_args.h"
#include "ops/elementwise.h"
#include "ops/generate.h"

#include <algorithm>
#include <string>

namespace ggml_directx {

namespace {

// Elements that one group adds up when a sum does not follow rows.
constexpr uint64_t slice_length = 4096;

constexpr uint64_t group_size = 128;

args::tensor_args line_of_floats(uint64_t n, uint32_t offset) {
    args::tensor_args a{};
    a.ne     = { uint32_t(n), 1, 1, 1 };
    a.nb     = { sizeof(float), 0, 0, 0 };
    a.offset = offset;
    return a;
}

bool dispatch_sum(encoder & e, const args::reduce_sum_args & a, ggml_type from, ggml_type to) {
    if (!e.can_loop(a.slice / group_size + 1)) {
        return false;
    }
    const std::string kernel = std::string("reduce_sum.") + ggml_type_name(from) + "." + ggml_type_name(to);
    return e.dispatch_linear(kernel, a, (uint64_t(a.n) + a.slice - 1) / a.slice);
}

// Slices to partial sums, those to fewer, until one is left. a.src has been bound.
bool dispatch_sums(encoder & e, args::reduce_sum_args a, ggml_type from, const ggml_tensor * dst, float divisor) {
    a.divisor = 1.0f;
    a.slice   = uint32_t(std::min<uint64_t>(slice_length, a.src.ne[0]));
    if (a.src.ne[0] % a.slice != 0 && a.src.ne[0] != a.n) {
        a.slice = a.src.ne[0];
    }

    for (;;) {
        const uint64_t sums = (uint64_t(a.n) + a.slice - 1) / a.slice;
        if (sums == 1 && (from == GGML_TYPE_F32 || dst->type == GGML_TYPE_F32)) {
            a.dst     = e.write(dst);
            a.divisor = divisor;
            return dispatch_sum(e, a, from, dst->type);
        }
        const region partial = e.scratch(sums * sizeof(float));
        a.dst                = line_of_floats(sums, e.write(partial));
        if (!dispatch_sum(e, a, from, GGML_TYPE_F32)) {
            return false;
        }
        from    = GGML_TYPE_F32;
        a.src   = line_of_floats(sums, e.read(partial));
        a.n     = uint32_t(sums);
        a.slice = uint32_t(slice_length);
    }
}

bool has_f32_rows(const ggml_tensor * src) {
    return src->type == GGML_TYPE_F32 && uint64_t(ggml_nelements(src)) < UINT32_MAX;
}

}  // namespace

bool encode_sum_rows(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    if (!has_f32_rows(src) || dst->type != GGML_TYPE_F32) {
        return false;
    }
    const float divisor = dst->op == GGML_OP_MEAN ? float(src->ne[0]) : 1.0f;
    if (ggml_is_empty(src)) {
        return encode_fill(e, dst, 0.0f / divisor);
    }
    args::reduce_sum_args a{};
    a.src     = e.read(src);
    a.dst     = e.write(dst);
    a.n       = uint32_t(ggml_nelements(src));
    a.slice   = uint32_t(src->ne[0]);
    a.divisor = divisor;
    return dispatch_sum(e, a, src->type, dst->type);
}

bool encode_sum(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    if (src->type != dst->type || ggml_is_quantized(src->type) || uint64_t(ggml_nelements(src)) >= UINT32_MAX) {
        return false;
    }
    if (ggml_is_empty(src)) {
        return encode_fill(e, dst, 0.0f);
    }
    args::reduce_sum_args a{};
    a.src = e.read(src);
    a.n   = uint32_t(ggml_nelements(src));
    if (ggml_is_contiguous(src)) {
        a.src.ne = { a.n, 1, 1, 1 };
    } else if (!ggml_is_contiguous_rows(src)) {
        // ggml's reference takes rows for contiguous that are not, and a node must have one value wherever it runs. The
        // gradient counts each element once, though: it does not fit that value, which is no good for a loss.
        if (dst->flags & GGML_TENSOR_FLAG_LOSS) {
            return false;
        }
        a.src.nb[0] = uint32_t(ggml_type_size(src->type));
    }
    return dispatch_sums(e, a, src->type, dst, 1.0f);
}

bool encode_sum_of(encoder & e, const region & values, uint64_t n, const ggml_tensor * dst, float divisor) {
    if (n == 0) {
        return encode_fill(e, dst, 0.0f / divisor);
    }
    args::reduce_sum_args a{};
    a.src = line_of_floats(n, e.read(values));
    a.n   = uint32_t(n);
    return n < UINT32_MAX && dispatch_sums(e, a, GGML_TYPE_F32, dst, divisor);
}

bool encode_cumsum(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    if (!has_f32_rows(src) || dst->type != GGML_TYPE_F32 || !ggml_are_same_shape(src, dst) ||
        !e.can_loop(2 * (uint64_t(src->ne[0]) / group_size + 1))) {
        return false;
    }
    args::row_args a{};
    a.src  = e.read(src);
    a.dst  = e.write(dst);
    a.rows = uint32_t(ggml_nrows(src));
    return e.dispatch_linear("cumsum", a, a.rows);
}

bool encode_argmax(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    if (!has_f32_rows(src) || dst->type != GGML_TYPE_I32 || !ggml_is_matrix(src) || !e.can_loop(uint64_t(src->ne[0]) / group_size + 1)) {
        return false;
    }
    args::row_args a{};
    a.src  = e.read(src);
    a.dst  = e.write(dst);
    a.rows = uint32_t(src->ne[1]);
    return e.dispatch_linear("argmax", a, a.rows);
}

bool encode_count_equal(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src0 = dst->src[0];
    const ggml_tensor * src1 = dst->src[1];
    if (src0->type != GGML_TYPE_I32 || src1->type != GGML_TYPE_I32 || dst->type != GGML_TYPE_I64 || !ggml_are_same_shape(src0, src1) ||
        !fits_quads(src0) || !e.can_loop(uint64_t(ggml_nelements(src0)) / (2 * group_size) + 1)) {
        return false;
    }
    args::count_equal_args a{};
    a.src0 = e.read(src0);
    a.src1 = e.read(src1);
    a.dst  = e.write(dst);
    a.n    = uint32_t(ggml_nelements(src0));
    return e.dispatch("count_equal", a, 1, 1, 1);
}

bool encode_repeat_back(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src = dst->src[0];
    if (!has_f32_rows(src) || dst->type != GGML_TYPE_F32 || !ggml_can_repeat(dst, src) ||
        !e.can_loop(uint64_t(ggml_nelements(src) / ggml_nelements(dst)))) {
        return false;
    }
    args::repeat_back_args a{};
    a.src = e.read(src);
    a.dst = e.write(dst);
    a.n   = uint32_t(ggml_nelements(dst));
    return e.dispatch_linear("repeat_back", a, (uint64_t(a.n) + group_size - 1) / group_size);
}

}  // namespace ggml_directx
