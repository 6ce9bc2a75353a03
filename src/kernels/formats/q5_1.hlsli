// 32 elements: half d, half m, 32 fifth bits, 16 bytes of nibbles as in q4_0; x = d * q + m.
static const uint q5_1_block = 32;
static const uint q5_1_bytes = 24;

float row_load_q5_1(RWByteAddressBuffer b, uint row, uint k) {
    const uint  block = row + (k / 32) * 24;
    const uint2 w     = b.Load2(block);
    const uint  q     = load_u8(b, block + 8 + (k & 15u)) >> ((k & 16u) / 4);
    const uint  high  = (w.y >> (k & 31u)) & 1u;
    return f16_to_f32(w.x & 0xffffu) * float((q & 15u) | (high << 4)) + f16_to_f32(w.x >> 16);
}

void row_load8_q5_1(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 32) * 24;
    const uint2 w     = b.Load2(block);
    const float d     = f16_to_f32(w.x & 0xffffu);
    const float m     = f16_to_f32(w.x >> 16);
    const uint  high  = w.y >> (k & 24u);
    const uint2 q     = (b.Load2(block + 8 + (k & 8u)) >> ((k & 16u) / 4)) & 0x0f0f0f0fu;
    lo = d * bytes_to_float4(q.x | (spread_bits(high & 15u) << 4)) + m;
    hi = d * bytes_to_float4(q.y | (spread_bits((high >> 4) & 15u) << 4)) + m;
}

#ifdef ENCODE

void encode_q5_1(RWByteAddressBuffer b, uint at, float4 v[8]) {
    const float2  range = least_and_most(v);
    precise float span  = range.y - range.x;
    precise float d     = quotient(span, 31.0f);
    const float   r     = reciprocal_or_zero(d);
    uint4 q[8];
    [unroll] for (uint i = 0; i < 8; ++i) {
        precise float4 x = (v[i] - range.x) * r;
        precise float4 y = x + 0.5f;
        q[i] = uint4(min(y, 31.0f));
    }
    b.Store2(at, uint2(f32_to_f16(d) | (f32_to_f16(range.x) << 16), pack_fifth_bits(q)));
    b.Store4(at + 8, pack_nibbles(q));
}

#endif
