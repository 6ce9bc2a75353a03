// 64 elements in 4 groups of 16: 4 scale bytes (unsigned e4m3), 8 bytes of nibbles a group, low ones first;
// x = scale * e2m1.
#include "nonlinear.hlsli"

static const uint nvfp4_block = 64;
static const uint nvfp4_bytes = 36;

// Half of the scale: the values are doubled.
float nvfp4_scale(uint s) {
    if (s == 0 || s == 0x7f) {
        return 0.0f;
    }
    const uint e = (s >> 3) & 15u;
    const uint m = s & 7u;
    return e == 0 ? float(m) * 0.0009765625f : asfloat(((e + 119) << 23) | (m << 20));
}

void row_load8_nvfp4(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 64) * 36;
    const uint  j     = k & 63u;
    const float d     = nvfp4_scale((b.Load(block) >> ((j / 16) * 8)) & 0xffu);
    const uint2 q     = b.Load2(block + 4 + (j / 16) * 8) >> ((j & 8u) / 2);
    lo = d * values_of_codes(fp4_values, q.x);
    hi = d * values_of_codes(fp4_values, q.y);
}

float row_load_nvfp4(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_nvfp4(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}

#ifdef ENCODE

uint f32_to_ue4m3(float v) {
    if (!(v > 0.0f)) {
        return 0;
    }
    const uint x = asuint(min(v, 448.0f));
    const int  e = int(x >> 23) - 120;
    if (e <= 0) {
        return uint(min(int(v * 512.0f + 0.5f), 7));
    }
    const uint rounded = (uint(e) << 3) + ((x >> 20) & 7u) + ((x >> 19) & 1u);
    return rounded < 0x78u ? rounded : 0x7eu; // the top exponent is not used but for the largest value
}

void encode_nvfp4(RWByteAddressBuffer b, uint at, block_source s) {
    clear_block(9);
    [loop] for (uint i = 0; i < 4; ++i) {
        float most = 0.0f;
        [loop] for (uint j = 0; j < 16; ++j) {
            most = max(most, abs(source_element(s, i * 16 + j)));
        }
        const uint scale = f32_to_ue4m3(quotient(most, 6.0f));
        set_block_bits(i, scale);
        [loop] for (uint l = 0; l < 16; ++l) {
            set_block_bits(4 + i * 8 + (l & 7u), nearest_fp4(nvfp4_scale(scale), source_element(s, i * 16 + l)) << ((l & 8u) / 2));
        }
    }
    store_block(b, at, 36);
}

#endif
