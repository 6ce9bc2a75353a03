// Constants of linear_attention.hlsl.
#ifndef GGML_DIRECTX_LINEAR_ATTENTION_ARGS_H
#define GGML_DIRECTX_LINEAR_ATTENTION_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

// Rows of head_size elements: where the first one starts, and bytes from a head, a token and a sequence to the next.
struct rows_place {
    uint offset;
    uint head;
    uint token;
    uint sequence;
};

struct linear_attention_args {
    rows_place src[6];      // the op's sources in ggml's order, but for the state
    uint       state;       // offset of the state before the first token
    uint       dst;         // offset of the outputs, [head_size, heads, tokens, sequences]
    uint       new_state;   // offset in dst's buffer of the state after the last token; earlier ones follow
    uint       head_size;
    uint       heads;
    uint       tokens;      // of a sequence
    uint       sequences;
    uint       snapshots;   // how many of the latest states to keep
    uint       q_heads;     // gated_delta: heads of q and k, which repeat over the heads
    uint       k_heads;
    uint       q_shared;    // gated_delta: sequences that share one of q and of k
    uint       k_shared;
    float      scale;       // of the output
    uint       vector_gate; // gated_delta: a gate for each element rather than for each head
    uint       blocks;      // groups that share a head
    uint       first;       // this dispatch's tokens: first to end - 1
    uint       end;
    uint       unused0;
    uint       unused1;
    uint       unused2;
};

#ifdef __cplusplus
static_assert(sizeof(linear_attention_args) == 176);
}
#endif
#endif
