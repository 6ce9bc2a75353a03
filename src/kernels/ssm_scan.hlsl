// The selective scan of state-space models: each row of a state decays, takes in a token, and is read out.
//   QUADS  see row_state.hlsli
// Mamba-2 has one decay a head; Mamba-1 one for each element, and heads of one row.

#include "ssm_scan_args.h"

RWByteAddressBuffer initial : register(u0);
RWByteAddressBuffer x_data  : register(u1);
RWByteAddressBuffer dt_data : register(u2);
RWByteAddressBuffer a_data  : register(u3);
RWByteAddressBuffer b_data  : register(u4);
RWByteAddressBuffer c_data  : register(u5);
RWByteAddressBuffer ids     : register(u6);
RWByteAddressBuffer dst     : register(u7);

#include "row_state.hlsli"

cbuffer args_buffer : register(b0) {
    ssm_scan_args a;
};

float softplus(float x) {
    return x > 20.0f ? x : log(1.0f + exp(x));
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint rows     = a.state.ne.y * a.state.ne.z; // of all heads
    const uint sequence = group.y;
    const uint wanted   = group.x * group_rows + thread / row_lanes;
    const bool exists   = wanted < rows;

    row_size   = a.state.ne.x;
    row_thread = thread;
#if QUADS == 0
    if (!exists) {
        return;
    }
#endif
    // Threads of rows that do not exist go along, with the last row's values: a barrier wants every thread.
    const uint row  = min(wanted, rows - 1);
    const uint head = row / a.state.ne.y;

    const uint id     = min(ids.Load(a.ids + sequence * 4), a.state.ne.w - 1);
    const uint at_row = row * row_size * 4;
    const uint home   = a.new_state + sequence * a.state.nb.w + at_row;

    load_state(initial, a.state.offset + id * a.state.nb.w + at_row, home, 4, a.first != 0);

    const bool per_head = a.a.ne.x == 1;
    const uint in_group = head / a.group_heads * row_size * 4;

    const uint a_at = a.a.offset + head * a.a.nb.y;
    uint x_at  = a.x.offset + row * 4 + a.first * a.x.nb.z + sequence * a.x.nb.w;
    uint dt_at = a.dt.offset + head * 4 + a.first * a.dt.nb.y + sequence * a.dt.nb.z;
    uint b_at  = a.b.offset + in_group + a.first * a.b.nb.z + sequence * a.b.nb.w;
    uint c_at  = a.c.offset + in_group + a.first * a.c.nb.z + sequence * a.c.nb.w;
    uint to    = a.dst + ((sequence * a.x.ne.z + a.first) * rows + row) * 4;

    [loop] for (uint token = a.first; token < a.end; ++token) {
        const float step  = softplus(load_f32(dt_data, dt_at));
        const float input = load_f32(x_data, x_at) * step;
        float sum = 0.0f;
        if (per_head) {
            const float decay = exp(max(step * load_f32(a_data, a_at), -87.0f));
            EACH_PART(p) {
                const part s = state(p) * decay + load_part(b_data, b_at, p) * input;
                set_state(p, s);
                sum += dot(s, load_part(c_data, c_at, p));
            }
        } else {
            EACH_PART(p1) {
                const part decay = exp(max(step * load_part(a_data, a_at, p1), -87.0f));
                const part s     = state(p1) * decay + load_part(b_data, b_at, p1) * input;
                set_state(p1, s);
                sum += dot(s, load_part(c_data, c_at, p1));
            }
        }
        sum = row_sum(sum);
        if (exists && thread % row_lanes == 0) {
            store_f32(dst, to, sum);
        }
        const uint slot = a.x.ne.z - 1 - token;
        if (exists && slot < a.snapshots) {
            store_state(home + slot * a.dt.ne.z * a.state.nb.w, 4);
        }
        x_at  += a.x.nb.z;
        dt_at += a.dt.nb.y;
        b_at  += a.b.nb.z;
        c_at  += a.c.nb.z;
        to    += rows * 4;
    }
}
