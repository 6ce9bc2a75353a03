// Copies the part of each matrix that lies on one side of a diagonal, and fills the rest.

#define GROUP_SIZE 128

#include "mask_args.h"
#include "quad.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    mask_args a;
};

bool is_kept(uint4 c) {
    const int d = int(c.x) - int(c.y) - a.shift;
    return a.keep == mask_below ? d < 0 : (a.keep == mask_above ? d > 0 : d == 0);
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint quad = linear_group(group) * GROUP_SIZE + thread;
    if (quad >= a.n / 4 + (a.n % 4 != 0)) {
        return;
    }
    const uint first = quad * 4;
    const uint count = min(a.n - first, 4u);

    uint4  c  = coordinates(first, a.dst.ne);
    uint4  to = address(a.dst, c);
    float4 y  = a.fill;
    [unroll] for (uint k = 0; k < 4; ++k) {
        if (k < count) {
            if (is_kept(c)) {
                y[k] = load_f32(src, address(a.src, c % a.src.ne));
            }
            to[k] = address(a.dst, c);
            c     = next(c, a.dst.ne);
        }
    }
    store_few_f32(dst, to, y, count, a.packed && count == 4);
}
