// Four neighbouring elements a thread. For each type T of f32, f16, bf16:
//   T_bytes
//   load4_T, store4_T    at a multiple of 4 bytes; the store owns its words: nothing atomic
//   store_few_T          the first `count` of four anywhere, or all at once if they are neighbours at such a multiple
#ifndef GGML_DIRECTX_QUAD_HLSLI
#define GGML_DIRECTX_QUAD_HLSLI

#include "common.hlsli"
#include "formats/words.hlsli"
#include "formats/f32.hlsli"
#include "formats/f16.hlsli"
#include "formats/bf16.hlsli"

float4 load4_f32(RWByteAddressBuffer b, uint a) {
    return asfloat(b.Load4(a));
}

float4 load4_f16(RWByteAddressBuffer b, uint a) {
    return halves_to_float4(b.Load2(a));
}

float4 load4_bf16(RWByteAddressBuffer b, uint a) {
    const uint2 w = b.Load2(a);
    return asfloat(uint4(w.x << 16, w.x & 0xffff0000u, w.y << 16, w.y & 0xffff0000u));
}

void store4_f32(RWByteAddressBuffer b, uint a, float4 v) {
    b.Store4(a, asuint(v));
}

void store_few_words(RWByteAddressBuffer b, uint4 a, uint4 v, uint count, bool together) {
    if (together) {
        b.Store4(a.x, v);
    } else {
        [unroll] for (uint k = 0; k < 4; ++k) {
            if (k < count) {
                b.Store(a[k], v[k]);
            }
        }
    }
}

void store_few_f32(RWByteAddressBuffer b, uint4 a, float4 v, uint count, bool together) {
    store_few_words(b, a, asuint(v), count, together);
}

void store4_halves(RWByteAddressBuffer b, uint a, uint4 h) {
    b.Store2(a, h.xz | (h.yw << 16));
}

void store_few_halves(RWByteAddressBuffer b, uint4 a, uint4 h, uint count, bool together) {
    if (together) {
        store4_halves(b, a.x, h);
    } else {
        [unroll] for (uint k = 0; k < 4; ++k) {
            if (k < count) {
                store_u16(b, a[k], h[k]);
            }
        }
    }
}

uint4 f32_to_f16_4(float4 v) {
    return uint4(f32_to_f16(v.x), f32_to_f16(v.y), f32_to_f16(v.z), f32_to_f16(v.w));
}

uint4 f32_to_bf16_4(float4 v) {
    return uint4(f32_to_bf16(v.x), f32_to_bf16(v.y), f32_to_bf16(v.z), f32_to_bf16(v.w));
}

void store4_f16(RWByteAddressBuffer b, uint a, float4 v) {
    store4_halves(b, a, f32_to_f16_4(v));
}

void store4_bf16(RWByteAddressBuffer b, uint a, float4 v) {
    store4_halves(b, a, f32_to_bf16_4(v));
}

void store_few_f16(RWByteAddressBuffer b, uint4 a, float4 v, uint count, bool together) {
    store_few_halves(b, a, f32_to_f16_4(v), count, together);
}

void store_few_bf16(RWByteAddressBuffer b, uint4 a, float4 v, uint count, bool together) {
    store_few_halves(b, a, f32_to_bf16_4(v), count, together);
}

// The element after c.
uint4 next(uint4 c, uint4 ne) {
    if (++c.x == ne.x) {
        c.x = 0;
        if (++c.y == ne.y) {
            c.y = 0;
            if (++c.z == ne.z) {
                c.z = 0;
                ++c.w;
            }
        }
    }
    return c;
}

#endif
