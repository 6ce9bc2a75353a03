#include "ops/binary.h"

#include "kernels/binary_args.h"
#include "ops/elementwise.h"

#include <optional>
#include <string>

namespace ggml_directx {

namespace {

std::optional<uint32_t> operation_of(const ggml_tensor * dst) {
    switch (dst->op) {
        case GGML_OP_ADD:
        case GGML_OP_ADD1: return args::binary_add;
        case GGML_OP_SUB: return args::binary_sub;
        case GGML_OP_MUL: return args::binary_mul;
        case GGML_OP_DIV: return args::binary_div;
        default: return std::nullopt;
    }
}

const char * layout_of(const args::binary_args & a, const ggml_tensor * dst) {
    const ggml_tensor * src0 = dst->src[0];
    const ggml_tensor * src1 = dst->src[1];
    if (a.packed && a.n % 4 == 0 && ggml_are_same_shape(src0, src1) && is_packed(src0, a.src0) && is_packed(src1, a.src1)) {
        return "flat";
    }
    const bool whole_rows = has_quad_rows(a.dst, dst->type) && has_quad_rows(a.src0, src0->type);
    const bool one_each   = a.src1.ne[0] == 1;
    if (whole_rows && (one_each || (a.src1.ne[0] == a.dst.ne[0] && has_quad_rows(a.src1, src1->type)))) {
        return "rows";
    }
    return "strided";
}

}  // namespace

bool encode_binary(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor *           src0 = dst->src[0];
    const ggml_tensor *           src1 = dst->src[1];
    const std::optional<uint32_t> op   = operation_of(dst);
    if (!op || !ggml_are_same_shape(src0, dst) || !ggml_can_repeat(src1, src0) || !fits_quads(dst)) {
        return false;
    }

    args::binary_args a{};
    a.src0   = e.read(src0);
    a.src1   = e.read(src1);
    a.dst    = e.write(dst);
    a.n      = uint32_t(ggml_nelements(dst));
    a.op     = *op;
    a.packed = is_packed(dst, a.dst);

    const std::string kernel = std::string("binary.") + layout_of(a, dst) + "." + ggml_type_name(src0->type) + "." +
                               ggml_type_name(src1->type) + "." + ggml_type_name(dst->type);
    return e.dispatch_linear(kernel, a, quad_groups(dst));
}

}  // namespace ggml_directx
