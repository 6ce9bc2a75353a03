// What the formats share: a few wide loads, and bytes to floats four at a time.
#ifndef GGML_DIRECTX_FORMATS_WORDS_HLSLI
#define GGML_DIRECTX_FORMATS_WORDS_HLSLI

#include "../common.hlsli"

float4 bytes_to_float4(uint w) {
    return float4(w & 0xffu, (w >> 8) & 0xffu, (w >> 16) & 0xffu, w >> 24);
}

float4 signed_bytes_to_float4(uint w) {
    return float4(int4(w << 24, w << 16, w << 8, w) >> 24);
}

float4 halves_to_float4(uint2 w) {
    return float4(f16_to_f32(w.x & 0xffffu), f16_to_f32(w.x >> 16), f16_to_f32(w.y & 0xffffu), f16_to_f32(w.y >> 16));
}

// Bit i of the low four to bit 0 of byte i.
uint spread_bits(uint v) {
    return (v | (v << 7) | (v << 14) | (v << 21)) & 0x01010101u;
}

// Eight bytes at a multiple of 2, by one load and no branch. Three words cover them wherever they lie; the half word
// too many is on the side that the name says, and must belong to the tensor: blocks have a scale on one side or other.
uint2 load8_after(RWByteAddressBuffer b, uint a) {
    const uint3 w = b.Load3(a & ~3u);
    return (a & 2u) ? uint2((w.x >> 16) | (w.y << 16), (w.y >> 16) | (w.z << 16)) : w.xy;
}

uint2 load8_before(RWByteAddressBuffer b, uint a) {
    const uint3 w = b.Load3((a - 2u) & ~3u);
    return (a & 2u) ? uint2((w.x >> 16) | (w.y << 16), (w.y >> 16) | (w.z << 16)) : w.yz;
}

// Eight 16-bit elements at a multiple of 2; exactly the words that hold them.
uint4 load16(RWByteAddressBuffer b, uint a) {
    const uint4 w = b.Load4(a & ~3u);
    if ((a & 2u) == 0) {
        return w;
    }
    const uint last = b.Load((a & ~3u) + 16);
    return (w >> 16) | (uint4(w.yzw, last) << 16);
}

#endif
