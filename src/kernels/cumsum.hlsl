// Running sums along rows, a group each: a thread adds up one piece of the row, and starts it from the sum of the pieces
// before when it writes.

#define GROUP_SIZE 128

#include "reduce_args.h"
#include "common.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    row_args a;
};

groupshared float sums[GROUP_SIZE];

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint  row    = linear_group(group);
    const uint4 c      = coordinates(row, uint4(a.src.ne.yzw, 1)); // y, z, w of the row
    const uint  from   = address(a.src, uint4(0, c.xyz));
    const uint  to     = address(a.dst, uint4(0, c.xyz));
    const uint  n      = row < a.rows ? a.src.ne.x : 0;
    const uint  length = (n + GROUP_SIZE - 1) / GROUP_SIZE;
    const uint  begin  = min(thread * length, n);
    const uint  end    = min(begin + length, n);

    float sum = 0.0f;
    [loop] for (uint i = begin; i < end; ++i) {
        sum += load_f32(src, from + i * a.src.nb.x);
    }
    sums[thread] = sum;
    GroupMemoryBarrierWithGroupSync();

    [unroll] for (uint d = 1; d < GROUP_SIZE; d *= 2) {
        float before = 0.0f;
        if (thread >= d) {
            before = sums[thread - d];
        }
        GroupMemoryBarrierWithGroupSync();
        sums[thread] += before;
        GroupMemoryBarrierWithGroupSync();
    }

    float running = 0.0f;
    if (thread > 0) {
        running = sums[thread - 1];
    }
    [loop] for (uint j = begin; j < end; ++j) {
        running += load_f32(src, from + j * a.src.nb.x);
        store_f32(dst, to + j * a.dst.nb.x, running);
    }
}
