// 32 elements: half d, half m, 16 bytes of nibbles as in q4_0; x = d * q + m.
static const uint q4_1_block = 32;
static const uint q4_1_bytes = 20;

float row_load_q4_1(RWByteAddressBuffer b, uint row, uint k) {
    const uint block = row + (k / 32) * 20;
    const uint dm    = b.Load(block);
    const uint q     = load_u8(b, block + 4 + (k & 15u)) >> ((k & 16u) / 4);
    return f16_to_f32(dm & 0xffffu) * float(q & 15u) + f16_to_f32(dm >> 16);
}

void row_load8_q4_1(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 32) * 20;
    const uint  dm    = b.Load(block);
    const float d     = f16_to_f32(dm & 0xffffu);
    const float m     = f16_to_f32(dm >> 16);
    const uint2 q     = (b.Load2(block + 4 + (k & 8u)) >> ((k & 16u) / 4)) & 0x0f0f0f0fu;
    lo = d * bytes_to_float4(q.x) + m;
    hi = d * bytes_to_float4(q.y) + m;
}

#ifdef ENCODE

void encode_q4_1(RWByteAddressBuffer b, uint at, float4 v[8]) {
    const float2  range = least_and_most(v);
    precise float span  = range.y - range.x;
    precise float d     = quotient(span, 15.0f);
    const float   r     = reciprocal_or_zero(d);
    uint4 q[8];
    [unroll] for (uint i = 0; i < 8; ++i) {
        precise float4 x = (v[i] - range.x) * r;
        precise float4 y = x + 0.5f;
        q[i] = uint4(min(y, 15.0f));
    }
    b.Store(at, f32_to_f16(d) | (f32_to_f16(range.x) << 16));
    b.Store4(at + 4, pack_nibbles(q));
}

#endif
