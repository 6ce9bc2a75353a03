// 32 elements: half d, 16 bytes of nibbles as in q4_0; x = d * value of the code.
#include "nonlinear.hlsli"

static const uint iq4_nl_block = 32;
static const uint iq4_nl_bytes = 18;

void row_load8_iq4_nl(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 32) * 18;
    const float d     = f16_to_f32(load_u16(b, block));
    const uint2 q     = load8_before(b, block + 2 + (k & 8u)) >> ((k & 16u) / 4);
    lo = d * values_of_codes(iq4_values, q.x);
    hi = d * values_of_codes(iq4_values, q.y);
}

float row_load_iq4_nl(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_iq4_nl(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}

#ifdef ENCODE

void encode_iq4_nl(RWByteAddressBuffer b, uint at, block_source s) {
    const float most = source_extreme(s, 32);
    clear_block(5);
    if (abs(most) >= group_max_eps) {
        const float r = quotient(1.0f, quotient(most, -127.0f));
        precise float sum_qx = 0.0f;
        precise float sum_q2 = 0.0f;
        [loop] for (uint j = 0; j < 32; ++j) {
            const float   x = source_element(s, j);
            precise float y = r * x;
            const uint    c = nearest_code(iq4_values, y);
            const float   q = value_of_code(iq4_values, c);
            precise float w = x * x;
            precise float m = w * q * x;
            precise float n = w * q * q;
            sum_qx += m;
            sum_q2 += n;
            set_block_bits(2 + (j & 15u), c << ((j & 16u) / 4));
        }
        set_block_bits(0, f32_to_f16(sum_q2 > 0.0f ? quotient(sum_qx, sum_q2) : 0.0f));
    }
    store_block(b, at, 18);
}

#endif
