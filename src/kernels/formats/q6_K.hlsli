// 256 elements in two halves: 128 bytes of low nibbles, 64 bytes of upper 2 bits, 16 signed scales for 16 elements each,
// half d; x = d * scale * (q - 32). In half n, nibble byte 64 n + l holds elements l (low) and l + 64 (high) for l < 64,
// and byte 32 n + l of the upper bits holds l + {0, 32, 64, 96}.
static const uint q6_K_block = 256;
static const uint q6_K_bytes = 210;

float q6_K_scale(RWByteAddressBuffer b, uint block, uint i) {
    const int scale = int(load_u8(b, block + 192 + i) << 24) >> 24;
    return f16_to_f32(load_u16(b, block + 208)) * float(scale);
}

float row_load_q6_K(RWByteAddressBuffer b, uint row, uint k) {
    const uint block = row + (k / 256) * 210;
    const uint j     = k & 255u;
    const uint low   = load_u8(b, block + (j / 128) * 64 + (j & 63u)) >> ((j & 64u) / 16);
    const uint high  = load_u8(b, block + 128 + (j / 128) * 32 + (j & 31u)) >> ((j & 96u) / 16);
    return q6_K_scale(b, block, j / 16) * (float((low & 15u) | ((high & 3u) << 4)) - 32.0f);
}

void row_load8_q6_K(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 210;
    const uint  j     = k & 255u;
    const float d     = q6_K_scale(b, block, j / 16);
    const uint2 low   = (load8_after(b, block + (j / 128) * 64 + (j & 63u)) >> ((j & 64u) / 16)) & 0x0f0f0f0fu;
    const uint2 high  = (load8_after(b, block + 128 + (j / 128) * 32 + (j & 31u)) >> ((j & 96u) / 16)) & 0x03030303u;
    lo = d * (bytes_to_float4(low.x | (high.x << 4)) - 32.0f);
    hi = d * (bytes_to_float4(low.y | (high.y << 4)) - 32.0f);
}

#ifdef ENCODE

#include "k_fit.hlsli"

// The scale for 16 elements with quants -32 .. 31: the best of 19 near the one that maps the largest to -32.
float q6_K_fit() {
    const float most = group_extreme(16);
    if (abs(most) < group_max_eps) {
        return 0.0f;
    }
    uint i;
    float scale = 0.0f;
    precise float best = 0.0f;
    [loop] for (int attempt = -10; attempt <= 9; ++attempt) {
        if (attempt == 0) {
            continue;
        }
        const int shift = attempt == -10 ? 0 : attempt; // the plain one goes first
        precise float aim = 32.0f + 0.1f * float(shift);
        const float inverse = quotient(-aim, most);
        precise float sum_xl = 0.0f;
        precise float sum_l2 = 0.0f;
        [loop] for (i = 0; i < 16; ++i) {
            precise float y = inverse * group_x[i];
            const float   l = float(clamp(nearest(y), -32, 31));
            precise float w = group_x[i] * group_x[i];
            precise float a = w * group_x[i] * l;
            precise float c = w * l * l;
            sum_xl += a;
            sum_l2 += c;
        }
        if (attempt == -10) {
            scale = sum_l2 != 0.0f ? quotient(sum_xl, sum_l2) : 0.0f;
            best  = scale * sum_xl;
        } else {
            precise float now    = sum_xl * sum_xl;
            precise float before = best * sum_l2;
            if (sum_l2 > 0.0f && now > before) {
                scale = quotient(sum_xl, sum_l2);
                best  = scale * sum_xl;
            }
        }
    }
    return scale;
}

void encode_q6_K(RWByteAddressBuffer b, uint at, block_source s) {
    float fits[16];
    float most = 0.0f;
    [loop] for (uint i = 0; i < 16; ++i) {
        load_group(s, i * 16, 16);
        fits[i] = q6_K_fit();
        if (abs(fits[i]) > abs(most)) {
            most = fits[i];
        }
    }
    clear_block(53);
    if (abs(most) >= group_max_eps) {
        const float inverse = quotient(-128.0f, most);
        const uint  d       = f32_to_f16(quotient(1.0f, inverse));
        set_block_bits(208, d);
        [loop] for (uint k = 0; k < 16; ++k) {
            precise float y     = inverse * fits[k];
            const int     scale = min(nearest(y), 127);
            set_block_bits(192 + k, uint(scale) & 0xffu);
            precise float step = f16_to_f32(d) * float(scale);
            [loop] for (uint l = k * 16; l < k * 16 + 16; ++l) {
                uint q = 32;
                if (step != 0.0f) {
                    q = uint(clamp(nearest(quotient(source_element(s, l), step)), -32, 31) + 32);
                }
                set_block_bits((l / 128) * 64 + (l & 63u), (q & 15u) << ((l & 64u) / 16));
                set_block_bits(128 + (l / 128) * 32 + (l & 31u), (q >> 4) << ((l & 96u) / 16));
            }
        }
    }
    store_block(b, at, 210);
}

#endif
