// 256 elements: half d, 64 low bytes of pattern indices for 4 elements each, 8 bytes with their ninth bits, 32 bytes of
// signs, 8 scales of 4 bits for 32 elements each; x = d * (1 + 2 scale) * pattern.
#include "grids.hlsli"

static const uint iq3_s_block = 256;
static const uint iq3_s_bytes = 110;

// Codes 0 .. 7 stand for 1, 3 ... 15.
static const uint iq3_s_table = 4096;

float4 iq3_s_pattern(uint i) {
    return bytes_to_float4(spread_nibbles(grid_entry(iq3_s_table, i)) * 2u + 0x01010101u);
}

void row_load8_iq3_s(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 110;
    const uint  j     = k & 255u;
    const uint  pair  = load_u16(b, block + 2 + j / 4);
    const uint  high  = load_u8(b, block + 66 + j / 32) >> ((j / 4) & 6u);
    const uint  signs = load_u8(b, block + 74 + j / 8);
    const uint  scale = (load_u8(b, block + 106 + j / 64) >> ((j & 32u) / 8)) & 15u;
    const float d     = f16_to_f32(load_u16(b, block)) * float(1 + 2 * scale);
    lo = d * with_signs(iq3_s_pattern((pair & 0xffu) | ((high & 1u) << 8)), signs);
    hi = d * with_signs(iq3_s_pattern((pair >> 8) | ((high & 2u) << 7)), signs >> 4);
}

float row_load_iq3_s(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_iq3_s(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}
