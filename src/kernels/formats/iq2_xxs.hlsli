// 256 elements: half d, then for 32 elements each 4 bytes of pattern indices and a word of 4 x 7 signs and a 4-bit scale;
// x = d * (scale + 1/2) / 4 * pattern.
#include "grids.hlsli"

static const uint iq2_xxs_block = 256;
static const uint iq2_xxs_bytes = 66;

static const uint iq2_xxs_table = 0;

void row_load8_iq2_xxs(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 66;
    const uint  j     = k & 255u;
    const uint2 w     = load8_before(b, block + 2 + (j / 32) * 8);
    const uint  part  = (j / 8) & 3u;
    const uint  i     = (w.x >> (8 * part)) & 0xffu;
    const uint  signs = unfold_signs((w.y >> (7 * part)) & 127u);
    const float d     = f16_to_f32(load_u16(b, block)) * (0.5f + float(w.y >> 28)) * 0.25f;
    iq2_pattern(grid_entry(iq2_xxs_table, i), lo, hi);
    lo = d * with_signs(lo, signs);
    hi = d * with_signs(hi, signs >> 4);
}

float row_load_iq2_xxs(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_iq2_xxs(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}
