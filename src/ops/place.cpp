#include "ops/place.h"

#include "kernels/binary_args.h"
#include "ops/copy.h"
#include "ops/elementwise.h"

namespace ggml_directx {

namespace {

// The part of `whole` that SET and ACC write, in the shape of src1.
args::tensor_args part_of(args::tensor_args whole, const ggml_tensor * dst) {
    const ggml_tensor * src1 = dst->src[1];
    for (int i = 0; i < GGML_MAX_DIMS; ++i) {
        whole.ne[i] = uint32_t(src1->ne[i]);
        if (i > 0) {
            whole.nb[i] = uint32_t(dst->op_params[i - 1]);
        }
    }
    whole.offset += uint32_t(dst->op_params[3]);
    return whole;
}

// What the part does not cover comes from src0, unless that is dst's own memory.
bool copy_rest(encoder & e, const ggml_tensor * dst) {
    const bool in_place = dst->op_params[4] != 0;
    return in_place || encode_copy(e, dst);
}

bool is_placement(const ggml_tensor * dst) {
    return dst->src[0]->type == dst->type && dst->src[1]->type == dst->type && ggml_is_contiguous(dst) && ggml_is_contiguous(dst->src[0]) &&
           !ggml_is_empty(dst->src[1]);
}

}  // namespace

bool encode_concat(encoder & e, const ggml_tensor * dst) {
    const int dim      = dst->op_params[0];
    uint32_t  position = 0;  // bytes
    for (const ggml_tensor * src : { dst->src[0], dst->src[1] }) {
        if (src->type != dst->type || (ggml_is_quantized(src->type) && (!ggml_is_contiguous_rows(src) || !ggml_is_contiguous_rows(dst)))) {
            return false;
        }
        if (ggml_is_empty(src)) {
            continue;
        }
        const args::tensor_args from = e.read(src);
        args::tensor_args       to   = e.write(dst);
        to.ne                        = from.ne;
        to.offset += position;
        if (!encode_move(e, from, to, dst->type)) {
            return false;
        }
        position += dim == 0 ? uint32_t(ggml_row_size(src->type, src->ne[0])) : from.ne[dim] * to.nb[dim];
    }
    return true;
}

bool encode_set(encoder & e, const ggml_tensor * dst) {
    if ((dst->type != GGML_TYPE_F32 && dst->type != GGML_TYPE_I32) || !is_placement(dst) || !copy_rest(e, dst)) {
        return false;
    }
    const args::tensor_args from = e.read(dst->src[1]);
    return encode_move(e, from, part_of(e.write(dst), dst), dst->type);
}

bool encode_acc(encoder & e, const ggml_tensor * dst) {
    if (dst->type != GGML_TYPE_F32 || !is_placement(dst) || !fits_quads(dst) || !copy_rest(e, dst)) {
        return false;
    }
    args::binary_args a{};
    a.src0 = part_of(e.read(dst->src[0]), dst);
    a.src1 = e.read(dst->src[1]);
    a.dst  = part_of(e.write(dst), dst);
    a.n    = uint32_t(ggml_nelements(dst->src[1]));
    a.op   = args::binary_add;
    return e.dispatch_linear("binary.strided.f32.f32.f32", a, quad_groups(dst->src[1]));
}

}  // namespace ggml_directx
