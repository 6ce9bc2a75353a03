#include "ops/linear_attention.h"

#include "kernels/linear_attention_args.h"
#include "ops/row_state.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace ggml_directx {

namespace {

constexpr int max_sources = 6;  // beside the state

bool all_f32(const ggml_tensor * dst, int sources) {
    for (int i = 0; i < sources; ++i) {
        if (dst->src[i]->type != GGML_TYPE_F32) {
            return false;
        }
    }
    return dst->type == GGML_TYPE_F32;
}

// Binds what both ops have alike and dispatches, as often as it takes. `a` knows the sizes and the strides.
bool dispatch(encoder & e, args::linear_attention_args & a, const char * op, const ggml_tensor * dst, int sources) {
    const row_state_kernel kernel  = choose_row_state_kernel(std::string("linear_attention.") + op, a.head_size, a.tokens, e);
    const uint64_t         outputs = uint64_t(a.head_size) * a.heads * a.tokens * a.sequences;
    a.blocks                       = (a.head_size + row_state_rows - 1) / row_state_rows;

    for (a.first = 0; a.first < a.tokens; a.first = a.end) {
        a.end = a.first + std::min(a.tokens - a.first, kernel.tokens);
        for (int i = 0; i < max_sources; ++i) {
            a.src[i].offset = i < sources ? e.read(dst->src[i]).offset : e.none().offset;
        }
        a.state     = e.read(dst->src[sources]).offset;
        a.dst       = (a.first == 0 ? e.write(dst) : e.read_write(dst)).offset;
        a.new_state = a.dst + uint32_t(outputs * sizeof(float));
        if (!e.dispatch(kernel.name, a, uint64_t(a.blocks) * a.heads, a.sequences, 1,
                        outputs / a.tokens * (a.end - a.first) * a.head_size * 3)) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool encode_linear_attention(encoder & e, const ggml_tensor * dst) {
    const bool wkv6    = dst->op == GGML_OP_RWKV_WKV6;
    const bool wkv7    = dst->op == GGML_OP_RWKV_WKV7;
    const int  sources = wkv7 ? 6 : wkv6 ? 5 : 4;

    const ggml_tensor * first = dst->src[0];
    const ggml_tensor * state = dst->src[sources];
    if (!all_f32(dst, sources + 1) || first->ne[2] % state->ne[1] != 0) {
        return false;
    }

    args::linear_attention_args a{};
    a.head_size = uint32_t(first->ne[0]);
    a.heads     = uint32_t(first->ne[1]);
    a.sequences = uint32_t(state->ne[1]);
    a.tokens    = uint32_t(first->ne[2] / state->ne[1]);
    a.snapshots = 1;
    a.scale     = 1.0f;
    if (dst->op == GGML_OP_GATED_LINEAR_ATTN) {
        std::memcpy(&a.scale, &dst->op_params[0], sizeof(a.scale));
    }
    for (int i = 0; i < sources; ++i) {
        const ggml_tensor * src = dst->src[i];
        if (!ggml_is_contiguous(src)) {
            return false;
        }
        const uint32_t head   = a.head_size * uint32_t(sizeof(float));
        const bool     shared = wkv6 && i == 3;  // the bonus: the same for all tokens
        const uint32_t token  = shared ? 0 : head * a.heads;
        a.src[i]              = { 0, head, token, token * a.tokens };
    }
    return ggml_is_contiguous(state) && dispatch(e, a, wkv7 ? "wkv7" : wkv6 ? "wkv6" : "gla", dst, sources);
}

bool encode_gated_delta_net(encoder & e, const ggml_tensor * dst) {
    constexpr int       sources = 5;
    const ggml_tensor * q       = dst->src[0];
    const ggml_tensor * k       = dst->src[1];
    const ggml_tensor * v       = dst->src[2];
    const ggml_tensor * gate    = dst->src[3];
    const ggml_tensor * state   = dst->src[5];
    // ggml asks less of q and k than its reference needs.
    if (!all_f32(dst, sources + 1) || q->ne[0] != v->ne[0] || k->ne[0] != v->ne[0] || v->ne[3] % q->ne[3] != 0 ||
        v->ne[3] % k->ne[3] != 0 || !ggml_is_contiguous(state)) {
        return false;
    }

    args::linear_attention_args a{};
    a.head_size   = uint32_t(v->ne[0]);
    a.heads       = uint32_t(v->ne[1]);
    a.tokens      = uint32_t(v->ne[2]);
    a.sequences   = uint32_t(v->ne[3]);
    a.snapshots   = uint32_t(dst->op_params[0]);
    a.q_heads     = uint32_t(q->ne[1]);
    a.k_heads     = uint32_t(k->ne[1]);
    a.q_shared    = uint32_t(v->ne[3] / q->ne[3]);
    a.k_shared    = uint32_t(v->ne[3] / k->ne[3]);
    a.scale       = 1.0f / std::sqrt(float(v->ne[0]));
    a.vector_gate = gate->ne[0] != 1;
    for (int i = 0; i < sources; ++i) {
        const ggml_tensor * src = dst->src[i];
        if (src->nb[0] != sizeof(float)) {
            return false;
        }
        a.src[i] = { 0, uint32_t(src->nb[1]), uint32_t(src->nb[2]), uint32_t(src->nb[3]) };
    }
    return dispatch(e, a, "gated_delta", dst, sources);
}

}  // namespace ggml_directx
