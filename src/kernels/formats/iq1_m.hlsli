// 256 elements: 32 low bytes of pattern indices for 8 elements each, a nibble for each with 3 upper index bits and the sign
// of a shift, then 4 x 16 bits: 4 scales of 3 bits for 16 elements each, and on top a nibble of the half d;
// x = d * (1 + 2 scale) * (pattern +- 1/8).
#include "grid_iq1.hlsli"

static const uint iq1_m_block = 256;
static const uint iq1_m_bytes = 56;

void row_load8_iq1_m(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 56;
    const uint  j     = k & 255u;
    const uint2 tops  = b.Load2(block + 48);
    const uint  low   = load_u8(b, block + j / 8);
    const uint  high  = load_u8(b, block + 32 + j / 16) >> ((j & 8u) / 2);
    const uint  half_ = ((tops.x >> 12) & 0xfu) | ((tops.x >> 24) & 0xf0u) | ((tops.y >> 4) & 0xf00u) | ((tops.y >> 16) & 0xf000u);
    const uint  s     = (((j & 128u) ? tops.y : tops.x) >> ((j & 64u) / 4)) >> (3 * ((j / 16) & 3u));
    const float d     = f16_to_f32(half_) * float(2 * (s & 7u) + 1);
    const float shift = (high & 8u) ? -0.125f : 0.125f;
    iq1_pattern(low | ((high & 7u) << 8), lo, hi);
    lo = d * (lo + shift);
    hi = d * (hi + shift);
}

float row_load_iq1_m(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_iq1_m(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}
