#include "ops/generate.h"

#include "kernels/generate_args.h"
#include "ops/elementwise.h"

#include <string>

namespace ggml_directx {

namespace {

bool encode_series(encoder & e, const ggml_tensor * dst, float start, float step) {
    if (!fits_quads(dst)) {
        return false;
    }
    args::generate_args a{};
    a.dst    = e.write(dst);
    a.n      = uint32_t(ggml_nelements(dst));
    a.packed = is_packed(dst, a.dst);
    a.start  = start;
    a.step   = step;
    return e.dispatch_linear(std::string("generate.") + ggml_type_name(dst->type), a, quad_groups(dst));
}

}  // namespace

bool encode_generate(encoder & e, const ggml_tensor * dst) {
    float start = 0.0f;
    float step  = 0.0f;
    std::memcpy(&start, &dst->op_params[0], sizeof(start));
    if (dst->op == GGML_OP_ARANGE) {
        std::memcpy(&step, &dst->op_params[2], sizeof(step));
    }
    return encode_series(e, dst, start, step);
}

bool encode_fill(encoder & e, const ggml_tensor * dst, float value) {
    return encode_series(e, dst, value, 0.0f);
}

}  // namespace ggml_directx
