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

#ifdef ENCODE

void encode_q5_0(RWByteAddressBuffer b, uint at, float4 v[8]) {
    const float d = signed_extreme(v) * -0.0625f;
    const float r = reciprocal_or_zero(d);
    uint4 q[8];
    [unroll] for (uint i = 0; i < 8; ++i) {
        precise float4 x = v[i] * r;
        precise float4 y = x + 16.5f;
        q[i] = uint4(min(y, 31.0f));
    }
    const uint4 n    = pack_nibbles(q);
    const uint  w[8] = {pack_fifth_bits(q), n.x, n.y, n.z, n.w, 0, 0, 0};
    store_half_and_words(b, at, f32_to_f16(d), w, 5);
}

#endif
