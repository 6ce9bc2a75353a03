// How many elements (i32) of two tensors are equal, as an i64. One group: ggml only uses it to count right guesses.

#define GROUP_SIZE 256

#include "reduce_args.h"
#include "common.hlsli"

RWByteAddressBuffer src0 : register(u0);
RWByteAddressBuffer src1 : register(u1);
RWByteAddressBuffer dst  : register(u2);

cbuffer args_buffer : register(b0) {
    count_equal_args a;
};

groupshared uint total;

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint thread : SV_GroupIndex) {
    if (thread == 0) {
        total = 0;
    }
    GroupMemoryBarrierWithGroupSync();

    uint count = 0;
    [loop] for (uint i = thread; i < a.n; i += GROUP_SIZE) {
        const uint4 c = coordinates(i, a.src0.ne);
        if (src0.Load(address(a.src0, c)) == src1.Load(address(a.src1, c))) {
            ++count;
        }
    }
    InterlockedAdd(total, count);
    GroupMemoryBarrierWithGroupSync();

    if (thread == 0) {
        dst.Store2(a.dst.offset, uint2(total, 0));
    }
}
