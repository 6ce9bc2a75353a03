// 256 elements: 16 bytes of scales (k_scales.hlsli), 128 bytes of nibbles; x = d * scale * q - dmin * min.
// Byte 32 n + l of the nibbles holds elements 64 n + l (low) and 64 n + l + 32 (high).
#include "k_scales.hlsli"

static const uint q4_K_block = 256;
static const uint q4_K_bytes = 144;

float row_load_q4_K(RWByteAddressBuffer b, uint row, uint k) {
    const uint   block = row + (k / 256) * 144;
    const uint   j     = k & 255u;
    const float2 s     = k_scale_min(b.Load4(block), j / 32);
    const uint   q     = load_u8(b, block + 16 + (j / 64) * 32 + (j & 31u)) >> ((j & 32u) / 8);
    return s.x * float(q & 15u) - s.y;
}

void row_load8_q4_K(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint   block = row + (k / 256) * 144;
    const uint   j     = k & 255u;
    const float2 s     = k_scale_min(b.Load4(block), j / 32);
    const uint2  q     = (b.Load2(block + 16 + (j / 64) * 32 + (j & 31u)) >> ((j & 32u) / 8)) & 0x0f0f0f0fu;
    lo = s.x * bytes_to_float4(q.x) - s.y;
    hi = s.x * bytes_to_float4(q.y) - s.y;
}

#ifdef ENCODE

#include "k_fit.hlsli"

void encode_q4_K(RWByteAddressBuffer b, uint at, block_source s) {
    clear_block(36);
    encode_k_head(s, 15, -1.0f, 20);
    const uint4 head = uint4(block_words[0], block_words[1], block_words[2], block_words[3]);
    [loop] for (uint i = 0; i < 256; ++i) {
        const uint q = k_quant(source_element(s, i), k_scale_min(head, i / 32), 15);
        set_block_bits(16 + (i / 64) * 32 + (i & 31u), q << ((i & 32u) / 8));
    }
    store_block(b, at, 144);
}

#endif
