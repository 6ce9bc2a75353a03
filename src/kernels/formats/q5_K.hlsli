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
