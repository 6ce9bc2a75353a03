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
