// The 2048 patterns of iq1_s and iq1_m: 8 elements of 2 bits (plus 1) to 16 bits.
#ifndef GGML_DIRECTX_FORMATS_GRID_IQ1_HLSLI
#define GGML_DIRECTX_FORMATS_GRID_IQ1_HLSLI

#include "grids.hlsli"

static const uint iq1_table = 5120;

// The elements of a pattern as -1, 0 or 1.
void iq1_pattern(uint i, out float4 lo, out float4 hi) {
    const uint p = grid_entry(iq1_table, i);
    lo = bytes_to_float4(spread_pairs(p & 0xffu)) - 1.0f;
    hi = bytes_to_float4(spread_pairs(p >> 8)) - 1.0f;
}

#endif
