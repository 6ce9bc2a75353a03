// 256 elements: 32 bytes of high bits, 64 bytes of low 2 bits (as in q2_K), 16 scales of 6 bits in 12 bytes, half d;
// x = d * (scale - 32) * (q - 4). Bit j / 32 of high byte j % 32 belongs to element j.
static const uint q3_K_block = 256;
static const uint q3_K_bytes = 110;

// d times the scale of elements 16 i .. 16 i + 15. The scales' low nibbles are in bytes 0..7, first those of i < 8;
// their upper 2 bits in bytes 8..11, four to a byte.
float q3_K_scale(RWByteAddressBuffer b, uint block, uint i) {
    const uint low  = load_u8(b, block + 96 + (i & 7u)) >> ((i & 8u) / 2);
    const uint high = load_u8(b, block + 104 + (i & 3u)) >> ((i & 12u) / 2);
    return f16_to_f32(load_u16(b, block + 108)) * (float((low & 15u) | ((high & 3u) << 4)) - 32.0f);
}

float row_load_q3_K(RWByteAddressBuffer b, uint row, uint k) {
    const uint block = row + (k / 256) * 110;
    const uint j     = k & 255u;
    const uint q     = load_u8(b, block + 32 + (j / 128) * 32 + (j & 31u)) >> ((j & 96u) / 16);
    const uint high  = load_u8(b, block + (j & 31u)) >> (j / 32);
    return q3_K_scale(b, block, j / 16) * (float((q & 3u) | ((high & 1u) << 2)) - 4.0f);
}

void row_load8_q3_K(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 110;
    const uint  j     = k & 255u;
    const float d     = q3_K_scale(b, block, j / 16);
    const uint2 q     = (load8_after(b, block + 32 + (j / 128) * 32 + (j & 31u)) >> ((j & 96u) / 16)) & 0x03030303u;
    const uint2 high  = (load8_after(b, block + (j & 31u)) >> (j / 32)) & 0x01010101u;
    lo = d * (bytes_to_float4(q.x | (high.x << 2)) - 4.0f);
    hi = d * (bytes_to_float4(q.y | (high.y << 2)) - 4.0f);
}

#ifdef ENCODE

#include "k_fit.hlsli"

// The scale for 16 elements with quants -4 .. 3: five rounds of moving single quants where that lessens the error.
float q3_K_fit() {
    int   l[16];
    const float most = group_extreme(16);
    if (abs(most) < group_max_eps) {
        return 0.0f;
    }
    uint i;
    const float inverse = quotient(-4.0f, most);
    precise float sum_xl = 0.0f;
    precise float sum_l2 = 0.0f;
    [loop] for (i = 0; i < 16; ++i) {
        precise float y = inverse * group_x[i];
        l[i] = clamp(nearest(y), -4, 3);
        precise float w = group_x[i] * group_x[i];
        precise float a = w * group_x[i] * float(l[i]);
        precise float c = w * float(l[i]) * float(l[i]);
        sum_xl += a;
        sum_l2 += c;
    }
    bool changed = true;
    [loop] for (uint round_ = 0; round_ < 5 && changed; ++round_) {
        changed = false;
        [loop] for (i = 0; i < 16; ++i) {
            const float   x   = group_x[i];
            const float   old = float(l[i]);
            precise float w   = x * x;
            precise float xl  = sum_xl - w * x * old;
            if (xl > 0.0f) {
                precise float l2  = sum_l2 - w * old * old;
                precise float num = x * l2;
                const int next = clamp(nearest(quotient(num, xl)), -4, 3);
                if (next != l[i]) {
                    const float n = float(next);
                    xl += w * x * n;
                    l2 += w * n * n;
                    precise float now    = xl * xl * sum_l2;
                    precise float before = sum_xl * sum_xl * l2;
                    if (l2 > 0.0f && now > before) {
                        l[i]    = next;
                        sum_xl  = xl;
                        sum_l2  = l2;
                        changed = true;
                    }
                }
            }
        }
    }
    return sum_l2 > 0.0f ? quotient(sum_xl, sum_l2) : 0.0f;
}

void encode_q3_K(RWByteAddressBuffer b, uint at, block_source s) {
    float fits[16];
    float most = 0.0f;
    [loop] for (uint i = 0; i < 16; ++i) {
        load_group(s, i * 16, 16);
        fits[i] = q3_K_fit();
        if (abs(fits[i]) > abs(most)) {
            most = fits[i];
        }
    }
    clear_block(28);
    if (most != 0.0f) {
        const float inverse = quotient(-32.0f, most);
        const uint  d       = f32_to_f16(quotient(1.0f, inverse));
        set_block_bits(108, d);
        [loop] for (uint k = 0; k < 16; ++k) {
            precise float y     = inverse * fits[k];
            const int     scale = clamp(nearest(y), -32, 31);
            const uint    bits  = uint(scale + 32);
            set_block_bits(96 + (k & 7u), (bits & 15u) << ((k & 8u) / 2));
            set_block_bits(104 + (k & 3u), (bits >> 4) << ((k & 12u) / 2));
            precise float step = f16_to_f32(d) * float(scale);
            [loop] for (uint l = k * 16; l < k * 16 + 16; ++l) {
                uint q = 4;
                if (step != 0.0f) {
                    q = uint(clamp(nearest(quotient(source_element(s, l), step)), -4, 3) + 4);
                }
                set_block_bits(32 + (l / 128) * 32 + (l & 31u), (q & 3u) << ((l & 96u) / 16));
                set_block_bits(l & 31u, (q >> 2) << (l / 32));
            }
        }
    }
    store_block(b, at, 110);
}

#endif
