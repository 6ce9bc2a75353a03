// 256 elements: 64 bytes of 2-bit quants as in q2_K, half d; x = d * (q - 1).
#include "words.hlsli"

static const uint tq2_0_block = 256;
static const uint tq2_0_bytes = 66;

void row_load8_tq2_0(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 66;
    const uint  j     = k & 255u;
    const float d     = f16_to_f32(load_u16(b, block + 64));
    const uint2 q     = (load8_after(b, block + (j / 128) * 32 + (j & 31u)) >> ((j & 96u) / 16)) & 0x03030303u;
    lo = d * (bytes_to_float4(q.x) - 1.0f);
    hi = d * (bytes_to_float4(q.y) - 1.0f);
}

float row_load_tq2_0(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_tq2_0(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}

#ifdef ENCODE

void encode_tq2_0(RWByteAddressBuffer b, uint at, block_source s) {
    const float d = source_most(s, 256);
    const float r = reciprocal_or_zero(d);
    clear_block(17);
    set_block_bits(64, f32_to_f16(d));
    [loop] for (uint j = 0; j < 256; ++j) {
        const uint q = uint(int(round_half_away(source_element(s, j) * r)) + 1);
        set_block_bits((j / 128) * 32 + (j & 31u), (q & 3u) << ((j & 96u) / 16));
    }
    store_block(b, at, 66);
}

#endif
