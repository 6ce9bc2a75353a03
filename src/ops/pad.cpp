#include "ops/pad.h"

#include "kernels/pad_args.h"
#include "ops/elementwise.h"

#include <string>

namespace ggml_directx {

namespace {

// Where dimension i of the source begins in the destination.
int64_t begin_of(const ggml_tensor * dst, int i) {
    switch (dst->op) {
        case GGML_OP_PAD: return dst->op_params[2 * i];
        case GGML_OP_ROLL: return dst->op_params[i];
        case GGML_OP_PAD_REFLECT_1D: return i == 0 ? dst->op_params[0] : 0;
        default: return 0;
    }
}

// Axis BEYOND of pad.hlsl.
const char * beyond(const ggml_tensor * dst) {
    switch (dst->op) {
        case GGML_OP_PAD: return dst->op_params[8] != 0 ? "wrap" : "zero";
        case GGML_OP_PAD_REFLECT_1D: return "reflect";
        default: return "wrap";
    }
}

}  // namespace

bool encode_pad(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src  = dst->src[0];
    const size_t        unit = ggml_type_size(dst->type);
    if (src->type != dst->type || ggml_is_quantized(dst->type) || (unit != 2 && unit != 4) || !fits_quads(dst)) {
        return false;
    }

    const std::string outside = beyond(dst);
    args::pad_args    a{};
    a.src    = e.read(src);
    a.dst    = e.write(dst);
    a.n      = uint32_t(ggml_nelements(dst));
    a.packed = is_packed(dst, a.dst);
    for (int i = 0; i < GGML_MAX_DIMS; ++i) {
        const int64_t ne    = src->ne[i];
        const int64_t shift = -begin_of(dst, i);
        a.shift[i]          = uint32_t(outside == "wrap" ? (shift % ne + ne) % ne : shift);
    }
    return e.dispatch_linear("pad." + outside + (unit == 2 ? ".u16" : ".u32"), a, quad_groups(dst));
}

}  // namespace ggml_directx
