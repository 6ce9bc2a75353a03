static const uint f32_block = 1;
static const uint f32_bytes = 4;

float row_load_f32(RWByteAddressBuffer b, uint row, uint k) {
    return asfloat(b.Load(row + k * 4));
}

void row_load8_f32(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    lo = asfloat(b.Load4(row + k * 4));
    hi = asfloat(b.Load4(row + k * 4 + 16));
}
