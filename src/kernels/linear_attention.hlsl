// Attention as a recurrence: a head keeps a matrix, which each token decays, adds key x value to, and reads with its query.
// A row holds what belongs to one element of the values, and rows do not meet: each goes through all tokens by itself.
//   OP     gla, wkv6, wkv7, gated_delta
//   QUADS  see row_state.hlsli

#include "linear_attention_args.h"

RWByteAddressBuffer src0    : register(u0);
RWByteAddressBuffer src1    : register(u1);
RWByteAddressBuffer src2    : register(u2);
RWByteAddressBuffer src3    : register(u3);
RWByteAddressBuffer src4    : register(u4);
RWByteAddressBuffer src5    : register(u5);
RWByteAddressBuffer initial : register(u6);
RWByteAddressBuffer dst     : register(u7);

#include "row_state.hlsli"

cbuffer args_buffer : register(b0) {
    linear_attention_args a;
};

// Where exp would leave the normal floats, drivers differ.
part decay(part gate) {
    return exp(max(gate, -87.0f));
}

// Of the token: where the head's elements start in each source.
static uint at[6];

// Whether the matrix lies with the values' elements side by side, rather than the keys'.
static const bool by_value_gla         = true;
static const bool by_value_wkv6        = true;
static const bool by_value_wkv7        = false;
static const bool by_value_gated_delta = false;

// Each updates the row by one token and returns its output. `row`: 4 times the element of the values.

// k v q g
float token_gla(uint row) {
    const float v = load_f32(src1, at[1] + row);
    float sum = 0.0f;
    EACH_PART(p) {
        const part s = state(p) * load_part(src3, at[3], p) + load_part(src0, at[0], p) * v;
        set_state(p, s);
        sum += dot(s, load_part(src2, at[2], p));
    }
    return row_sum(sum);
}

// k v r, the bonus of the token itself, decay
float token_wkv6(uint row) {
    const float v = load_f32(src1, at[1] + row);
    float sum = 0.0f;
    EACH_PART(p) {
        const part s  = state(p);
        const part kv = load_part(src0, at[0], p) * v;
        set_state(p, s * load_part(src4, at[4], p) + kv);
        sum += dot(s + kv * load_part(src3, at[3], p), load_part(src2, at[2], p));
    }
    return row_sum(sum);
}

// r w k v a b
float token_wkv7(uint row) {
    const float v = load_f32(src3, at[3] + row);
    float sum = 0.0f;
    EACH_PART(p) {
        sum += dot(state(p), load_part(src4, at[4], p));
    }
    const float removed = row_sum(sum);

    sum = 0.0f;
    EACH_PART(p2) {
        const part s = state(p2) * load_part(src1, at[1], p2) + load_part(src2, at[2], p2) * v + load_part(src5, at[5], p2) * removed;
        set_state(p2, s);
        sum += dot(s, load_part(src0, at[0], p2));
    }
    return row_sum(sum);
}

// q k v, gate (its logarithm), beta
float token_gated_delta(uint row) {
    const float v    = load_f32(src2, at[2] + row);
    const float beta = load_f32(src4, at[4]);
    float sum = 0.0f;
    if (a.vector_gate) {
        EACH_PART(p) {
            const part s = state(p) * decay(load_part(src3, at[3], p));
            set_state(p, s);
            sum += dot(s, load_part(src1, at[1], p));
        }
    } else {
        const float g = exp(max(load_f32(src3, at[3]), -87.0f));
        EACH_PART(p1) {
            const part s = state(p1) * g;
            set_state(p1, s);
            sum += dot(s, load_part(src1, at[1], p1));
        }
    }
    const float delta = (v - row_sum(sum)) * beta;

    sum = 0.0f;
    EACH_PART(p2) {
        const part s = state(p2) + load_part(src1, at[1], p2) * delta;
        set_state(p2, s);
        sum += dot(s, load_part(src0, at[0], p2));
    }
    return row_sum(sum);
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint head     = group.x / a.blocks;
    const uint sequence = group.y;
    const uint row      = group.x % a.blocks * group_rows + thread / row_lanes;
    const bool exists   = row < a.head_size;

    row_size   = a.head_size;
    row_thread = thread;
#if QUADS == 0
    if (!exists) {
        return;
    }
#endif
    // Threads of rows that do not exist go along, with the last row's values: a barrier wants every thread.
    const uint value = min(row, a.head_size - 1) * 4;

    const uint pitch   = CONCAT(by_value_, OP) ? a.head_size * 4 : 4;
    const uint in_head = CONCAT(by_value_, OP) ? value : value * a.head_size;
    const uint at_row  = (sequence * a.heads + head) * a.head_size * a.head_size * 4 + in_head;
    const uint all     = a.sequences * a.heads * a.head_size * a.head_size * 4; // bytes of a state of all heads

    load_state(initial, a.state + at_row, a.new_state + at_row, pitch, a.first != 0);

    [unroll] for (uint i = 0; i < 6; ++i) {
        at[i] = head * a.src[i].head + sequence * a.src[i].sequence;
    }
    if (a.q_heads != 0) {
        at[0] = head % a.q_heads * a.src[0].head + sequence / a.q_shared * a.src[0].sequence;
        at[1] = head % a.k_heads * a.src[1].head + sequence / a.k_shared * a.src[1].sequence;
    }
    [unroll] for (uint k = 0; k < 6; ++k) {
        at[k] += a.src[k].offset + a.first * a.src[k].token;
    }
    uint to = a.dst + ((sequence * a.tokens + a.first) * a.heads + head) * a.head_size * 4 + value;

    [loop] for (uint token = a.first; token < a.end; ++token) {
        const float result = CONCAT(token_, OP)(value) * a.scale;
        if (exists && thread % row_lanes == 0) {
            store_f32(dst, to, result);
        }
        const uint slot = a.tokens - 1 - token;
        if (exists && slot < a.snapshots) {
            store_state(a.new_state + slot * all + at_row, pitch);
        }
        [unroll] for (uint j = 0; j < 6; ++j) {
            at[j] += a.src[j].token;
        }
        to += a.heads * a.head_size * 4;
    }
}
