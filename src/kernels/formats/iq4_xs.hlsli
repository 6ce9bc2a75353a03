// 256 elements: half d, 16 bits with 2 upper bits of 8 scales, 4 bytes with their low nibbles, 128 bytes of nibbles, for 32
// elements at a time as in q4_0; x = d * (scale - 32) * value of the code.
#include "nonlinear.hlsli"

static const uint iq4_xs_block = 256;
static const uint iq4_xs_bytes = 136;

void row_load8_iq4_xs(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 136;
    const uint  i     = (k & 255u) / 32;
    const uint2 head  = b.Load2(block);
    const uint  scale = ((head.y >> (4 * i)) & 15u) | (((head.x >> (16 + 2 * i)) & 3u) << 4);
    const float d     = f16_to_f32(head.x & 0xffffu) * (float(scale) - 32.0f);
    const uint2 q     = b.Load2(block + 8 + i * 16 + (k & 8u)) >> ((k & 16u) / 4);
    lo = d * values_of_codes(iq4_values, q.x);
    hi = d * values_of_codes(iq4_values, q.y);
}

float row_load_iq4_xs(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_iq4_xs(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}

#ifdef ENCODE

#include "k_fit.hlsli"

// The scale for 32 elements: the best of 16 that map the largest near to the end of the table.
float iq4_xs_fit() {
    const float most = group_extreme(32);
    if (abs(most) < group_max_eps) {
        return 0.0f;
    }
    uint i;
    float scale = 0.0f;
    precise float best = 0.0f;
    [loop] for (int attempt = -8; attempt <= 7; ++attempt) {
        float inverse = quotient(float(attempt) - 127.0f, most);
        if (attempt == -8) { // the plain one, from the other end, goes first
            inverse = quotient(1.0f, quotient(-most, -127.0f));
        }
        precise float sum_qx = 0.0f;
        precise float sum_q2 = 0.0f;
        [loop] for (i = 0; i < 32; ++i) {
            const float   x = group_x[i];
            precise float y = inverse * x;
            const float   q = value_of_code(iq4_values, nearest_code(iq4_values, y));
            precise float w = x * x;
            precise float a = w * q * x;
            precise float c = w * q * q;
            sum_qx += a;
            sum_q2 += c;
        }
        if (attempt == -8) {
            scale = sum_q2 > 0.0f ? quotient(sum_qx, sum_q2) : 0.0f;
            best  = scale * sum_qx;
        } else {
            precise float now    = sum_qx * sum_qx;
            precise float before = best * sum_q2;
            if (sum_q2 > 0.0f && now > before) {
                scale = quotient(sum_qx, sum_q2);
                best  = scale * sum_qx;
            }
        }
    }
    return scale;
}

void encode_iq4_xs(RWByteAddressBuffer b, uint at, block_source s) {
    float fits[8];
    float most = 0.0f;
    [loop] for (uint i = 0; i < 8; ++i) {
        load_group(s, i * 32, 32);
        fits[i] = iq4_xs_fit();
        if (abs(fits[i]) > abs(most)) {
            most = fits[i];
        }
    }
    const float d = most * -0.03125f;
    const float r = reciprocal_or_zero(d);
    clear_block(34);
    set_block_bits(0, f32_to_f16(d));
    [loop] for (uint k = 0; k < 8; ++k) {
        precise float y     = r * fits[k];
        const int     scale = clamp(nearest(y), -32, 31);
        const uint    bits  = uint(scale + 32);
        set_block_bits(2 + k / 4, (bits >> 4) << (2 * (k & 3u)));
        set_block_bits(4 + k / 2, (bits & 15u) << ((k & 1u) * 4));
        precise float step = d * float(scale);
        const float inverse = reciprocal_or_zero(step);
        [loop] for (uint l = 0; l < 32; ++l) {
            precise float v = inverse * source_element(s, k * 32 + l);
            set_block_bits(8 + k * 16 + (l & 15u), nearest_code(iq4_values, v) << ((l & 16u) / 4));
        }
    }
    store_block(b, at, 136);
}

#endif
