// What the codebook types share: patterns stored as 16 bits, signs, and how to unfold both.
#ifndef GGML_DIRECTX_FORMATS_GRIDS_HLSLI
#define GGML_DIRECTX_FORMATS_GRIDS_HLSLI

#include "words.hlsli"

// All tables in one read-only buffer (codebooks.cpp), beside the tensors: a constant array in a shader would be copied
// to every thread by some drivers.
ByteAddressBuffer codebooks : register(t0);

// Entry i of the table that begins at byte `table`.
uint grid_entry(uint table, uint i) {
    return (codebooks.Load(table + (i / 2) * 4) >> ((i & 1u) * 16)) & 0xffffu;
}

// Four 2-bit (4-bit) codes to four bytes.
uint spread_pairs(uint v) {
    return (v | (v << 6) | (v << 12) | (v << 18)) & 0x03030303u;
}
uint spread_nibbles(uint v) {
    return (v & 0xfu) | ((v & 0xf0u) << 4) | ((v & 0xf00u) << 8) | ((v & 0xf000u) << 12);
}

// Eight signs are stored as seven: their number is even.
uint unfold_signs(uint v) {
    return v | ((countbits(v) & 1u) << 7);
}

// Bit i of the low four negates element i.
float4 with_signs(float4 v, uint signs) {
    return asfloat(asuint(v) ^ (uint4(signs << 31, signs << 30, signs << 29, signs << 28) & 0x80000000u));
}

// iq2 patterns: codes 0, 1, 2 stand for 8, 25, 43.
void iq2_pattern(uint p, out float4 lo, out float4 hi) {
    const uint2 c = uint2(spread_pairs(p & 0xffu), spread_pairs(p >> 8));
    const uint2 v = c * 17u + ((c >> 1) & 0x01010101u) + 0x08080808u;
    lo = bytes_to_float4(v.x);
    hi = bytes_to_float4(v.y);
}

#endif
