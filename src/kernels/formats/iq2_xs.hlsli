// 256 elements: half d, for 8 elements each 9 bits of pattern index and 7 signs, then 16 scales of 4 bits for 16 elements
// each; x = d * (scale + 1/2) / 4 * pattern.
#include "grids.hlsli"

static const uint iq2_xs_block = 256;
static const uint iq2_xs_bytes = 74;

static const uint iq2_xs_table = 512;

void row_load8_iq2_xs(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 74;
    const uint  j     = k & 255u;
    const uint  w     = load_u16(b, block + 2 + (j / 8) * 2);
    const uint  i     = w & 511u;
    const uint  signs = unfold_signs(w >> 9);
    const uint  scale = (load_u8(b, block + 66 + j / 32) >> ((j & 16u) / 4)) & 15u;
    const float d     = f16_to_f32(load_u16(b, block)) * (0.5f + float(scale)) * 0.25f;
    iq2_pattern(grid_entry(iq2_xs_table, i), lo, hi);
    lo = d * with_signs(lo, signs);
    hi = d * with_signs(hi, signs >> 4);
}

float row_load_iq2_xs(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_iq2_xs(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}
