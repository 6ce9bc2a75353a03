#include "ops/ssm_scan.h"

#include "kernels/ssm_scan_args.h"
#include "ops/row_state.h"

#include <algorithm>

namespace ggml_directx {

bool encode_ssm_scan(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * state = dst->src[0];
    const ggml_tensor * x     = dst->src[1];
    const ggml_tensor * dt    = dst->src[2];
    const ggml_tensor * decay = dst->src[3];
    const ggml_tensor * b     = dst->src[4];
    const ggml_tensor * c     = dst->src[5];
    const ggml_tensor * ids   = dst->src[6];
    for (const ggml_tensor * t : { state, x, dt, decay, b, c, dst }) {
        if (t->type != GGML_TYPE_F32) {
            return false;
        }
    }
    // Of x, b and c only tokens and sequences may be apart. ggml has seen to it; a view made since could differ.
    const auto whole_heads = [](const ggml_tensor * t) { return t->nb[0] == sizeof(float) && t->nb[1] == size_t(t->ne[0]) * t->nb[0]; };
    if (ids->type != GGML_TYPE_I32 || ids->nb[0] != sizeof(int32_t) || !ggml_is_contiguous(state) || !ggml_is_contiguous(dt) ||
        !ggml_is_contiguous(decay) || !whole_heads(x) || !whole_heads(b) || !whole_heads(c) || x->ne[1] % b->ne[1] != 0) {
        return false;
    }

    const uint64_t         rows   = uint64_t(state->ne[1]) * uint64_t(state->ne[2]);
    const uint32_t         tokens = uint32_t(x->ne[2]);
    const row_state_kernel kernel = choose_row_state_kernel("ssm_scan", state->ne[0], tokens, e);

    args::ssm_scan_args a{};
    a.snapshots   = uint32_t(dst->op_params[0]);
    a.group_heads = uint32_t(x->ne[1] / b->ne[1]);
    for (a.first = 0; a.first < tokens; a.first = a.end) {
        a.end               = a.first + std::min(tokens - a.first, kernel.tokens);
        a.state             = e.read(state);
        a.x                 = e.read(x);
        a.dt                = e.read(dt);
        a.a                 = e.read(decay);
        a.b                 = e.read(b);
        a.c                 = e.read(c);
        a.ids               = e.read(ids).offset;
        a.dst               = (a.first == 0 ? e.write(dst) : e.read_write(dst)).offset;
        a.new_state         = a.dst + uint32_t(uint64_t(ggml_nelements(x)) * sizeof(float));
        const uint64_t work = rows * uint64_t(state->ne[0]) * (a.end - a.first) * uint64_t(x->ne[3]) * 3;
        if (!e.dispatch(kernel.name, a, (rows + row_state_rows - 1) / row_state_rows, uint64_t(x->ne[3]), 1, work)) {
            return false;
        }
    }
    return true;
}

}  // namespace ggml_directx
