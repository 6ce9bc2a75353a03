// 128 elements: half d, 16 bytes of bits; x = d where the bit is set, else -d.
#include "words.hlsli"

static const uint q1_0_block = 128;
static const uint q1_0_bytes = 18;

float4 with_negated(float d, uint bits) {
    return float4((bits & 1u) ? -d : d, (bits & 2u) ? -d : d, (bits & 4u) ? -d : d, (bits & 8u) ? -d : d);
}

void row_load8_q1_0(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 128) * 18;
    const float d     = f16_to_f32(load_u16(b, block));
    const uint  q     = ~load_u8(b, block + 2 + (k & 127u) / 8);
    lo = with_negated(d, q);
    hi = with_negated(d, q >> 4);
}

float row_load_q1_0(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_q1_0(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}

#ifdef ENCODE

void encode_q1_0(RWByteAddressBuffer b, uint at, block_source s) {
    precise float sum = 0.0f;
    clear_block(5);
    [loop] for (uint j = 0; j < 128; ++j) {
        const float v = source_element(s, j);
        sum += abs(v);
        set_block_bits(2 + j / 8, v >= 0.0f ? 1u << (j & 7u) : 0u);
    }
    set_block_bits(0, f32_to_f16(sum * 0.0078125f));
    store_block(b, at, 18);
}

#endif
