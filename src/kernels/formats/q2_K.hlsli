// 256 elements: 16 bytes of scale (low nibble) and min (high) for 16 elements each, 64 bytes of 2-bit quants, half d,
// half dmin; x = d * scale * q - dmin * min. Byte 32 n + l of the quants holds elements 128 n + l + {0, 32, 64, 96}.
static const uint q2_K_block = 256;
static const uint q2_K_bytes = 84;

float row_load_q2_K(RWByteAddressBuffer b, uint row, uint k) {
    const uint block = row + (k / 256) * 84;
    const uint j     = k & 255u;
    const uint dm    = b.Load(block + 80);
    const uint s     = load_u8(b, block + j / 16);
    const uint q     = load_u8(b, block + 16 + (j / 128) * 32 + (j & 31u)) >> ((j & 96u) / 16);
    return f16_to_f32(dm & 0xffffu) * float(s & 15u) * float(q & 3u) - f16_to_f32(dm >> 16) * float(s >> 4);
}

void row_load8_q2_K(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 84;
    const uint  j     = k & 255u;
    const uint  dm    = b.Load(block + 80);
    const uint  s     = load_u8(b, block + j / 16);
    const float d     = f16_to_f32(dm & 0xffffu) * float(s & 15u);
    const float m     = f16_to_f32(dm >> 16) * float(s >> 4);
    const uint2 q     = (b.Load2(block + 16 + (j / 128) * 32 + (j & 31u)) >> ((j & 96u) / 16)) & 0x03030303u;
    lo = d * bytes_to_float4(q.x) - m;
    hi = d * bytes_to_float4(q.y) - m;
}
