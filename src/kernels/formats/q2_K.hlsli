// 256 elements: 16 bytes of scale (low nibble) and min (high) for 16 elements each, 64 bytes of 2-bit quants, half d,
// half dmin; x = d * scale * q - dmin * min. Byte 32 n + l of the quants holds elements 128 n + l + {0, 32, 64, 96}.
static const uint q2_K_block = 256;
static const uint q2_K_bytes = 84;

float row_load_q2_K(RWByteAddressBuffer b, uint row, uint k) {
    const uint block = row + (k / 256) * 84;
    const uint j     = k & 255u;
    const uint dm    = b.Load(block + 80);
    const uint s     = load_u8(b, block + j / 16);
    const uint q     = load_u8(b, block + 16 + (j / 128) * 32 + (j & 31u)) >> ((j & 96u) / 16);
    return f16_to_f32(dm & 0xffffu) * float(s & 15u) * float(q & 3u) - f16_to_f32(dm >> 16) * float(s >> 4);
}

void row_load8_q2_K(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 84;
    const uint  j     = k & 255u;
    const uint  dm    = b.Load(block + 80);
    const uint  s     = load_u8(b, block + j / 16);
    const float d     = f16_to_f32(dm & 0xffffu) * float(s & 15u);
    const float m     = f16_to_f32(dm >> 16) * float(s >> 4);
    const uint2 q     = (b.Load2(block + 16 + (j / 128) * 32 + (j & 31u)) >> ((j & 96u) / 16)) & 0x03030303u;
    lo = d * bytes_to_float4(q.x) - m;
    hi = d * bytes_to_float4(q.y) - m;
}

#ifdef ENCODE

#include "k_fit.hlsli"

void encode_q2_K(RWByteAddressBuffer b, uint at, block_source s) {
    float2 fits[16];
    float2 most = 0.0f;
    [loop] for (uint i = 0; i < 16; ++i) {
        load_group(s, i * 16, 16);
        [loop] for (uint j = 0; j < 16; ++j) {
            group_w[j] = abs(group_x[j]);
        }
        fits[i] = fit_scale_and_min(16, 3, -0.5f, 15, true);
        most = max(most, fits[i]);
    }
    const float2 inverse = float2(most.x > 0.0f ? quotient(15.0f, most.x) : 0.0f, most.y > 0.0f ? quotient(15.0f, most.y) : 0.0f);
    const uint2  dm      = uint2(f32_to_f16(quotient(most.x, 15.0f)), f32_to_f16(quotient(most.y, 15.0f)));
    clear_block(21);
    set_block_bits(80, dm.x);
    set_block_bits(82, dm.y);
    [loop] for (uint k = 0; k < 16; ++k) {
        precise float2 y = inverse * fits[k];
        const uint scale = uint(nearest(y.x)) & 15u;
        const uint least = uint(nearest(y.y)) & 15u;
        set_block_bits(k, scale | (least << 4));
        const float2 stored = float2(f16_to_f32(dm.x) * float(scale), f16_to_f32(dm.y) * float(least));
        [loop] for (uint l = k * 16; l < k * 16 + 16; ++l) {
            set_block_bits(16 + (l / 128) * 32 + (l & 31u), k_quant(source_element(s, l), stored, 3) << ((l & 96u) / 16));
        }
    }
    store_block(b, at, 84);
}

#endif
