#include "ops/add_id.h"

#include "kernels/add_id_args.h"
#include "ops/elementwise.h"

namespace ggml_directx {

bool encode_add_id(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src  = dst->src[0];
    const ggml_tensor * rows = dst->src[1];
    const ggml_tensor * ids  = dst->src[2];
    if (src->type != GGML_TYPE_F32 || rows->type != GGML_TYPE_F32 || ids->type != GGML_TYPE_I32 || dst->type != GGML_TYPE_F32 ||
        !ggml_are_same_shape(src, dst) || !fits_quads(dst)) {
        return false;
    }

    args::add_id_args a{};
    a.src    = e.read(src);
    a.rows   = e.read(rows);
    a.ids    = e.read(ids);
    a.dst    = e.write(dst);
    a.n      = uint32_t(ggml_nelements(dst));
    a.packed = is_packed(dst, a.dst);

    const bool whole = has_quad_rows(a.src, src->type) && has_quad_rows(a.rows, rows->type) && has_quad_rows(a.dst, dst->type);
    return e.dispatch_linear(whole ? "add_id.rows" : "add_id.strided", a, quad_groups(dst));
}

}  // namespace ggml_directx
