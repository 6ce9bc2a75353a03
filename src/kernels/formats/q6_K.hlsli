// 256 elements in two halves: 128 bytes of low nibbles, 64 bytes of upper 2 bits, 16 signed scales for 16 elements each,
// half d; x = d * scale * (q - 32). In half n, nibble byte 64 n + l holds elements l (low) and l + 64 (high) for l < 64,
// and byte 32 n + l of the upper bits holds l + {0, 32, 64, 96}.
static const uint q6_K_block = 256;
static const uint q6_K_bytes = 210;

float q6_K_scale(RWByteAddressBuffer b, uint block, uint i) {
    const int scale = int(load_u8(b, block + 192 + i) << 24) >> 24;
    return f16_to_f32(load_u16(b, block + 208)) * float(scale);
}

float row_load_q6_K(RWByteAddressBuffer b, uint row, uint k) {
    const uint block = row + (k / 256) * 210;
    const uint j     = k & 255u;
    const uint low   = load_u8(b, block + (j / 128) * 64 + (j & 63u)) >> ((j & 64u) / 16);
    const uint high  = load_u8(b, block + 128 + (j / 128) * 32 + (j & 31u)) >> ((j & 96u) / 16);
    return q6_K_scale(b, block, j / 16) * (float((low & 15u) | ((high & 3u) << 4)) - 32.0f);
}

void row_load8_q6_K(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 210;
    const uint  j     = k & 255u;
    const float d     = q6_K_scale(b, block, j / 16);
    const uint2 low   = (load8_after(b, block + (j / 128) * 64 + (j & 63u)) >> ((j & 64u) / 16)) & 0x0f0f0f0fu;
    const uint2 high  = (load8_after(b, block + 128 + (j / 128) * 32 + (j & 31u)) >> ((j & 96u) / 16)) & 0x03030303u;
    lo = d * (bytes_to_float4(low.x | (high.x << 4)) - 32.0f);
    hi = d * (bytes_to_float4(low.y | (high.y << 4)) - 32.0f);
}
