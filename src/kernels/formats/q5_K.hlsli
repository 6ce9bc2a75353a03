// 256 elements: 16 bytes of scales (k_scales.hlsli), 32 bytes of fifth bits, 128 bytes of nibbles as in q4_K;
// x = d * scale * q - dmin * min. Bit j / 32 of high byte j % 32 belongs to element j.
#include "k_scales.hlsli"

static const uint q5_K_block = 256;
static const uint q5_K_bytes = 176;

float row_load_q5_K(RWByteAddressBuffer b, uint row, uint k) {
    const uint   block = row + (k / 256) * 176;
    const uint   j     = k & 255u;
    const float2 s     = k_scale_min(b.Load4(block), j / 32);
    const uint   q     = load_u8(b, block + 48 + (j / 64) * 32 + (j & 31u)) >> ((j & 32u) / 8);
    const uint   high  = load_u8(b, block + 16 + (j & 31u)) >> (j / 32);
    return s.x * float((q & 15u) | ((high & 1u) << 4)) - s.y;
}

void row_load8_q5_K(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint   block = row + (k / 256) * 176;
    const uint   j     = k & 255u;
    const float2 s     = k_scale_min(b.Load4(block), j / 32);
    const uint2  q     = (b.Load2(block + 48 + (j / 64) * 32 + (j & 31u)) >> ((j & 32u) / 8)) & 0x0f0f0f0fu;
    const uint2  high  = (b.Load2(block + 16 + (j & 31u)) >> (j / 32)) & 0x01010101u;
    lo = s.x * bytes_to_float4(q.x | (high.x << 4)) - s.y;
    hi = s.x * bytes_to_float4(q.y | (high.y << 4)) - s.y;
}

#ifdef ENCODE

#include "k_fit.hlsli"

void encode_q5_K(RWByteAddressBuffer b, uint at, block_source s) {
    clear_block(44);
    encode_k_head(s, 31, -0.5f, 15);
    const uint4 head = uint4(block_words[0], block_words[1], block_words[2], block_words[3]);
    [loop] for (uint i = 0; i < 256; ++i) {
        const uint q = k_quant(source_element(s, i), k_scale_min(head, i / 32), 31);
        set_block_bits(48 + (i / 64) * 32 + (i & 31u), (q & 15u) << ((i & 32u) / 8));
        set_block_bits(16 + (i & 31u), (q >> 4) << (i / 32));
    }
    store_block(b, at, 176);
}

#endif
