// 64 elements: half d, 16 bytes of 2-bit quants, four neighbours to a byte; x = d * (q - 1).
#include "grids.hlsli"

static const uint q2_0_block = 64;
static const uint q2_0_bytes = 18;

void row_load8_q2_0(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 64) * 18;
    const float d     = f16_to_f32(load_u16(b, block));
    const uint  q     = load_u16(b, block + 2 + (k & 63u) / 4);
    lo = d * (bytes_to_float4(spread_pairs(q & 0xffu)) - 1.0f);
    hi = d * (bytes_to_float4(spread_pairs(q >> 8)) - 1.0f);
}

float row_load_q2_0(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_q2_0(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}

#ifdef ENCODE

void encode_q2_0(RWByteAddressBuffer b, uint at, block_source s) {
    const float d = source_most(s, 64);
    const float r = reciprocal_or_zero(d);
    clear_block(5);
    set_block_bits(0, f32_to_f16(d));
    [loop] for (uint j = 0; j < 64; ++j) {
        const int q = int(round_half_away(source_element(s, j) * r)) + 1;
        set_block_bits(2 + j / 4, uint(clamp(q, 0, 3)) << (2 * (j & 3u)));
    }
    store_block(b, at, 18);
}

#endif
