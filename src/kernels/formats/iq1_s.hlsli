// 256 elements: half d, 32 low bytes of pattern indices for 8 elements each, then for 32 elements each 16 bits: 4 x 3 upper
// index bits, a 3-bit scale, and the sign of a shift; x = d * (1 + 2 scale) * (pattern +- 1/8).
#include "grid_iq1.hlsli"

static const uint iq1_s_block = 256;
static const uint iq1_s_bytes = 50;

void row_load8_iq1_s(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 50;
    const uint  j     = k & 255u;
    const uint  h     = load_u16(b, block + 34 + (j / 32) * 2);
    const uint  high  = (h >> (3 * ((j / 8) & 3u))) & 7u;
    const float d     = f16_to_f32(load_u16(b, block)) * float(2 * ((h >> 12) & 7u) + 1);
    const float shift = (h & 0x8000u) ? -0.125f : 0.125f;
    iq1_pattern(load_u8(b, block + 2 + j / 8) | (high << 8), lo, hi);
    lo = d * (lo + shift);
    hi = d * (hi + shift);
}

float row_load_iq1_s(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_iq1_s(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}
