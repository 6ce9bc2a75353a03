// Copies that convert between plain types. SRC, DST: f32, f16, bf16, i32.
#include "elements.hlsli"
#include "copy_args.h"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    copy_args a;
};

#define LOAD   CONCAT(load_, SRC)
#define LOAD4  CONCAT(load4_, SRC)
#define STORE  CONCAT(store_, DST)
#define STORE2 CONCAT(store2_, DST)
#define STORE4 CONCAT(store4_, DST)

[numthreads(128, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint k = (linear_group(group) * 128 + thread) * a.width;
    if (k >= a.count) {
        return;
    }
    const uint from = flat_address(a.src, k);
    const uint to   = flat_address(a.dst, k);
    if (a.width == 4 && k + 3 < a.count) {
        float4 v;
        if (a.runs & 1u) {
            v = LOAD4(src, from);
        } else {
            v = float4(LOAD(src, from), LOAD(src, flat_address(a.src, k + 1)), LOAD(src, flat_address(a.src, k + 2)), LOAD(src, flat_address(a.src, k + 3)));
        }
        STORE4(dst, to, v);
    } else if (a.width == 2 && k + 1 < a.count) {
        STORE2(dst, to, float2(LOAD(src, from), LOAD(src, flat_address(a.src, k + 1))));
    } else {
        [loop] for (uint j = k; j < min(k + a.width, a.count); ++j) {
            STORE(dst, flat_address(a.dst, j), LOAD(src, flat_address(a.src, j)));
        }
    }
}
