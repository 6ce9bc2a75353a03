// 256 elements: half d, 32 low bytes of pattern indices, 32 bytes of signs, 8 bytes with 2 upper bits of 4 indices each,
// 16 scales of 4 bits; x = d * (scale + 1/2) / 4 * pattern.
#include "grids.hlsli"

static const uint iq2_s_block = 256;
static const uint iq2_s_bytes = 82;

static const uint iq2_s_table = 1536;

void row_load8_iq2_s(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 82;
    const uint  j     = k & 255u;
    const uint  high  = (load_u8(b, block + 66 + j / 32) >> (2 * ((j / 8) & 3u))) & 3u;
    const uint  i     = load_u8(b, block + 2 + j / 8) | (high << 8);
    const uint  signs = load_u8(b, block + 34 + j / 8);
    const uint  scale = (load_u8(b, block + 74 + j / 32) >> ((j & 16u) / 4)) & 15u;
    const float d     = f16_to_f32(load_u16(b, block)) * (0.5f + float(scale)) * 0.25f;
    iq2_pattern(grid_entry(iq2_s_table, i), lo, hi);
    lo = d * with_signs(lo, signs);
    hi = d * with_signs(hi, signs >> 4);
}

float row_load_iq2_s(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_iq2_s(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}
