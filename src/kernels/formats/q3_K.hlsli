// 256 elements: 32 bytes of high bits, 64 bytes of low 2 bits (as in q2_K), 16 scales of 6 bits in 12 bytes, half d;
// x = d * (scale - 32) * (q - 4). Bit j / 32 of high byte j % 32 belongs to element j.
static const uint q3_K_block = 256;
static const uint q3_K_bytes = 110;

// d times the scale of elements 16 i .. 16 i + 15. The scales' low nibbles are in bytes 0..7, first those of i < 8;
// their upper 2 bits in bytes 8..11, four to a byte.
float q3_K_scale(RWByteAddressBuffer b, uint block, uint i) {
    const uint low  = load_u8(b, block + 96 + (i & 7u)) >> ((i & 8u) / 2);
    const uint high = load_u8(b, block + 104 + (i & 3u)) >> ((i & 12u) / 2);
    return f16_to_f32(load_u16(b, block + 108)) * (float((low & 15u) | ((high & 3u) << 4)) - 32.0f);
}

float row_load_q3_K(RWByteAddressBuffer b, uint row, uint k) {
    const uint block = row + (k / 256) * 110;
    const uint j     = k & 255u;
    const uint q     = load_u8(b, block + 32 + (j / 128) * 32 + (j & 31u)) >> ((j & 96u) / 16);
    const uint high  = load_u8(b, block + (j & 31u)) >> (j / 32);
    return q3_K_scale(b, block, j / 16) * (float((q & 3u) | ((high & 1u) << 2)) - 4.0f);
}

void row_load8_q3_K(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 110;
    const uint  j     = k & 255u;
    const float d     = q3_K_scale(b, block, j / 16);
    const uint2 q     = (load8_after(b, block + 32 + (j / 128) * 32 + (j & 31u)) >> ((j & 96u) / 16)) & 0x03030303u;
    const uint2 high  = (load8_after(b, block + (j & 31u)) >> (j / 32)) & 0x01010101u;
    lo = d * (bytes_to_float4(q.x | (high.x << 2)) - 4.0f);
    hi = d * (bytes_to_float4(q.y | (high.y << 2)) - 4.0f);
}
