static const uint bf16_block = 1;
static const uint bf16_bytes = 2;

float row_load_bf16(RWByteAddressBuffer b, uint row, uint k) {
    return bf16_to_f32(load_u16(b, row + k * 2));
}

void row_load8_bf16(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint4 w = load16(b, row + k * 2);
    lo = asfloat(uint4(w.x << 16, w.x & 0xffff0000u, w.y << 16, w.y & 0xffff0000u));
    hi = asfloat(uint4(w.z << 16, w.z & 0xffff0000u, w.w << 16, w.w & 0xffff0000u));
}
