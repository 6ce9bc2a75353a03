// Copies from a quantised type to f32, eight elements a thread. SRC: the type.
#include "elements.hlsli"
#include "formats/formats.hlsli"
#include "copy_args.h"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    copy_args a;
};

[numthreads(128, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint k = (linear_group(group) * 128 + thread) * 8;
    if (k >= a.count) {
        return;
    }
    const uint4 c = coordinates(k, a.src.ne);
    float4 lo;
    float4 hi;
    CONCAT(row_load8_, SRC)(src, address(a.src, uint4(0, c.yzw)), c.x, lo, hi);
    if (a.runs & 2u) {
        const uint to = flat_address(a.dst, k);
        dst.Store4(to, asuint(lo));
        dst.Store4(to + 16, asuint(hi));
    } else {
        [unroll] for (uint j = 0; j < 4; ++j) {
            store_f32(dst, flat_address(a.dst, k + j), lo[j]);
            store_f32(dst, flat_address(a.dst, k + 4 + j), hi[j]);
        }
    }
}
