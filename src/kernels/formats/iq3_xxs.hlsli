// 256 elements: half d, 64 bytes of pattern indices for 4 elements each, then for 32 elements each a word of 4 x 7 signs
// and a 4-bit scale; x = d * (scale + 1/2) / 2 * pattern.
#include "grids.hlsli"

static const uint iq3_xxs_block = 256;
static const uint iq3_xxs_bytes = 98;

// Codes 0 .. 7 stand for 4, 12, 20 ... 52, and 62.
static const uint iq3_xxs_table = 3584;

float4 iq3_xxs_pattern(uint i) {
    const uint c = spread_nibbles(grid_entry(iq3_xxs_table, i));
    return bytes_to_float4(c * 8u + 0x04040404u + (((c + 0x01010101u) >> 2) & 0x02020202u));
}

void row_load8_iq3_xxs(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 98;
    const uint  j     = k & 255u;
    const uint  w     = load_u32(b, block + 66 + (j / 32) * 4);
    const uint  pair  = load_u16(b, block + 2 + j / 4);
    const uint  signs = unfold_signs((w >> (7 * ((j / 8) & 3u))) & 127u);
    const float d     = f16_to_f32(load_u16(b, block)) * (0.5f + float(w >> 28)) * 0.5f;
    lo = d * with_signs(iq3_xxs_pattern(pair & 0xffu), signs);
    hi = d * with_signs(iq3_xxs_pattern(pair >> 8), signs >> 4);
}

float row_load_iq3_xxs(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_iq3_xxs(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}
