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

// ggml's vector code, which the CPU backend runs, rounds halves to even; only its plain reference rounds them away from zero.
void encode_q8_0(RWByteAddressBuffer b, uint at, float4 v[8]) {
    const float most = abs(signed_extreme(v));
    const float r    = most != 0.0f ? quotient(127.0f, most) : 0.0f;
    uint w[8];
    [unroll] for (uint i = 0; i < 8; ++i) {
        precise float4 x = v[i] * r;
        w[i] = pack_bytes(uint4(int4(round(x))) & 0xffu);
    }
    store_half_and_words(b, at, f32_to_f16(quotient(most, 127.0f)), w, 8);
}

#endif
