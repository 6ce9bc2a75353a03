// Element i of dst = start + i * step.
//   TYPE  of dst

#define GROUP_SIZE 128

#include "generate_args.h"
#include "quad.hlsli"

RWByteAddressBuffer dst : register(u0);

cbuffer args_buffer : register(b0) {
    generate_args a;
};

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint quad = linear_group(group) * GROUP_SIZE + thread;
    if (quad >= a.n / 4 + (a.n % 4 != 0)) {
        return;
    }
    const uint first = quad * 4;
    const uint count = min(a.n - first, 4u);

    uint4 c  = coordinates(first, a.dst.ne);
    uint4 to = 0;
    [unroll] for (uint k = 0; k < 4; ++k) {
        to[k] = address(a.dst, c);
        c     = next(c, a.dst.ne);
    }
    const float4 y = a.start + a.step * float4(first, first + 1, first + 2, first + 3);
    CONCAT(store_few_, TYPE)(dst, to, y, count, a.packed && count == 4);
}
