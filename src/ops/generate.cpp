#include "ops/generate.h"

#include "kernels/generate_args.h"
#include "ops/elementwise.h"

#include <string>

namespace ggml_directx {

bool encode_generate(encoder & e, const ggml_tensor * dst) {
    if (!fits_quads(dst)) {
        return false;
    }
    args::generate_args a{};
    a.dst    = e.write(dst);
    a.n      = uint32_t(ggml_nelements(dst));
    a.packed = is_packed(dst, a.dst);
    std::memcpy(&a.start, &dst->op_params[0], sizeof(a.start));
    if (dst->op == GGML_OP_ARANGE) {
        std::memcpy(&a.step, &dst->op_params[2], sizeof(a.step));
    }
    return e.dispatch_linear(std::string("generate.") + ggml_type_name(dst->type), a, quad_groups(dst));
}

}  // namespace ggml_directx
