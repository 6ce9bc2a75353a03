// The index of each row's maximum; of equal ones the last, as ggml does. A group takes a row.

#define GROUP_SIZE 128

#include "reduce_args.h"
#include "common.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    row_args a;
};

groupshared float values[GROUP_SIZE];
groupshared uint  indices[GROUP_SIZE];

bool beats(float v, uint i, float than_v, uint than_i) {
    return v > than_v || (v == than_v && i > than_i);
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint row  = linear_group(group);
    const uint from = a.src.offset + row * a.src.nb.y;
    const uint n    = row < a.rows ? a.src.ne.x : 0;

    float best  = asfloat(0xff800000u); // -inf
    uint  index = 0;
    [loop] for (uint i = thread; i < n; i += GROUP_SIZE) {
        const float v = load_f32(src, from + i * a.src.nb.x);
        if (beats(v, i, best, index)) {
            best  = v;
            index = i;
        }
    }
    values[thread]  = best;
    indices[thread] = index;

    [unroll] for (uint d = GROUP_SIZE / 2; d > 0; d /= 2) {
        GroupMemoryBarrierWithGroupSync();
        if (thread < d && beats(values[thread + d], indices[thread + d], values[thread], indices[thread])) {
            values[thread]  = values[thread + d];
            indices[thread] = indices[thread + d];
        }
    }

    if (thread == 0 && row < a.rows) {
        dst.Store(a.dst.offset + row * a.dst.nb.x, indices[0]);
    }
}
