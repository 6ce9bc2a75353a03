// 32 elements: half d, 16 bytes of nibbles. Byte i holds element i (low) and i + 16 (high); x = d * (q - 8).
static const uint q4_0_block = 32;
static const uint q4_0_bytes = 18;

float row_load_q4_0(RWByteAddressBuffer b, uint row, uint k) {
    const uint block = row + (k / 32) * 18;
    const uint q     = load_u8(b, block + 2 + (k & 15u)) >> ((k & 16u) / 4);
    return f16_to_f32(load_u16(b, block)) * (float(q & 15u) - 8.0f);
}

void row_load8_q4_0(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 32) * 18;
    const float d     = f16_to_f32(load_u16(b, block));
    const uint2 q     = (load8_before(b, block + 2 + (k & 8u)) >> ((k & 16u) / 4)) & 0x0f0f0f0fu;
    lo = d * (bytes_to_float4(q.x) - 8.0f);
    hi = d * (bytes_to_float4(q.y) - 8.0f);
}

#ifdef ENCODE

void encode_q4_0(RWByteAddressBuffer b, uint at, float4 v[8]) {
    const float d = signed_extreme(v) * -0.125f;
    const float r = reciprocal_or_zero(d);
    uint4 q[8];
    [unroll] for (uint i = 0; i < 8; ++i) {
        precise float4 x = v[i] * r;
        precise float4 y = x + 8.5f;
        q[i] = uint4(min(y, 15.0f));
    }
    const uint4 n    = pack_nibbles(q);
    const uint  w[8] = {n.x, n.y, n.z, n.w, 0, 0, 0, 0};
    store_half_and_words(b, at, f32_to_f16(d), w, 4);
}

#endif
