// The index of each row's maximum; of equal ones the last, as ggml does. A group takes a row.

#define GROUP_SIZE 128

#include "reduce_args.h"
#include "group_reduce.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    row_args a;
};

groupshared uint last;

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint row  = linear_group(group);
    const uint from = a.src.offset + row * a.src.nb.y;
    const uint n    = row < a.rows ? a.src.ne.x : 0;

    float most  = asfloat(0xff800000u); // -inf
    uint  index = 0;
    [loop] for (uint i = thread; i < n; i += GROUP_SIZE) {
        const float v = load_f32(src, from + i * a.src.nb.x);
        if (v >= most) {
            most  = v;
            index = i;
        }
    }
    if (thread == 0) {
        last = 0;
    }
    GroupMemoryBarrierWithGroupSync();
    if (group_max(most, thread) == most) {
        InterlockedMax(last, index);
    }
    GroupMemoryBarrierWithGroupSync();

    if (thread == 0 && row < a.rows) {
        dst.Store(a.dst.offset + row * a.dst.nb.x, last);
    }
}
