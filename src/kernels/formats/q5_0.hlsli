// 32 elements: half d, 32 fifth bits, 16 bytes of nibbles as in q4_0; x = d * (q - 16).
static const uint q5_0_block = 32;
static const uint q5_0_bytes = 22;

float row_load_q5_0(RWByteAddressBuffer b, uint row, uint k) {
    const uint block = row + (k / 32) * 22;
    const uint high  = load_u32(b, block + 2) >> (k & 31u);
    const uint q     = load_u8(b, block + 6 + (k & 15u)) >> ((k & 16u) / 4);
    return f16_to_f32(load_u16(b, block)) * (float((q & 15u) | ((high & 1u) << 4)) - 16.0f);
}

void row_load8_q5_0(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 32) * 22;
    const uint2 w     = b.Load2(block & ~3u); // d and the high bits, wherever they start
    const bool  odd   = (block & 2u) != 0;
    const float d     = f16_to_f32(odd ? w.x >> 16 : w.x & 0xffffu);
    const uint  high  = (odd ? w.y : (w.x >> 16) | (w.y << 16)) >> (k & 24u);
    const uint2 q     = (load8_before(b, block + 6 + (k & 8u)) >> ((k & 16u) / 4)) & 0x0f0f0f0fu;
    lo = d * (bytes_to_float4(q.x | (spread_bits(high & 15u) << 4)) - 16.0f);
    hi = d * (bytes_to_float4(q.y | (spread_bits((high >> 4) & 15u) << 4)) - 16.0f);
}
