// 32 elements: half d, half d * sum of the quants, 32 signed bytes; x = d * q.
#include "words.hlsli"

static const uint q8_1_block = 32;
static const uint q8_1_bytes = 36;

void row_load8_q8_1(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 32) * 36;
    const float d     = f16_to_f32(b.Load(block) & 0xffffu);
    const uint2 q     = b.Load2(block + 4 + (k & 31u));
    lo = d * signed_bytes_to_float4(q.x);
    hi = d * signed_bytes_to_float4(q.y);
}

float row_load_q8_1(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_q8_1(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}
