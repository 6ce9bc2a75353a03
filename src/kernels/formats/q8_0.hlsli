// 32 elements: half d, 32 signed bytes; x = d * q.
static const uint q8_0_block = 32;
static const uint q8_0_bytes = 34;

float row_load_q8_0(RWByteAddressBuffer b, uint row, uint k) {
    const uint block = row + (k / 32) * 34;
    const int  q     = int(load_u8(b, block + 2 + (k & 31u)) << 24) >> 24;
    return f16_to_f32(load_u16(b, block)) * float(q);
}

void row_load8_q8_0(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 32) * 34;
    const float d     = f16_to_f32(load_u16(b, block));
    const uint2 q     = load8_before(b, block + 2 + (k & 24u));
    lo = d * signed_bytes_to_float4(q.x);
    hi = d * signed_bytes_to_float4(q.y);
}

#ifdef ENCODE

void encode_q8_0(RWByteAddressBuffer b, uint at, float4 v[8]) {
    precise float d = abs(signed_extreme(v)) / 127.0f;
    const float   r = reciprocal_or_zero(d);
    uint w[8];
    [unroll] for (uint i = 0; i < 8; ++i) {
        precise float4 x = v[i] * r;
        const int4     q = int4(round_half_away(x.x), round_half_away(x.y), round_half_away(x.z), round_half_away(x.w));
        w[i] = pack_bytes(uint4(q) & 0xffu);
    }
    store_half_and_words(b, at, f32_to_f16(d), w, 8);
}

#endif
