static const uint f16_block = 1;
static const uint f16_bytes = 2;

float row_load_f16(RWByteAddressBuffer b, uint row, uint k) {
    return f16_to_f32(load_u16(b, row + k * 2));
}

void row_load8_f16(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint4 w = load16(b, row + k * 2);
    lo = halves_to_float4(w.xy);
    hi = halves_to_float4(w.zw);
}
