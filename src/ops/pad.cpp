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
        default: return 0;
    }
}

bool wraps(const ggml_tensor * dst) {
    return dst->op != GGML_OP_PAD || dst->op_params[8] != 0;
}

}  // namespace

bool encode_pad(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src  = dst->src[0];
    const size_t        unit = ggml_type_size(dst->type);
    if (src->type != dst->type || ggml_is_quantized(dst->type) || (unit != 2 && unit != 4) || !fits_quads(dst)) {
        return false;
    }

    args::pad_args a{};
    a.src    = e.read(src);
    a.dst    = e.write(dst);
    a.n      = uint32_t(ggml_nelements(dst));
    a.packed = is_packed(dst, a.dst);
    for (int i = 0; i < GGML_MAX_DIMS; ++i) {
        const int64_t ne    = src->ne[i];
        const int64_t shift = -begin_of(dst, i);
        a.shift[i]          = uint32_t(wraps(dst) ? (shift % ne + ne) % ne : shift);
    }
    const std::string kernel = std::string(wraps(dst) ? "pad.wrap." : "pad.zero.") + (unit == 2 ? "u16" : "u32");
    return e.dispatch_linear(kernel, a, quad_groups(dst));
}

}  // namespace ggml_directx
