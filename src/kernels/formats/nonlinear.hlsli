// 4-bit codes that stand for uneven values: those of iq4_nl and iq4_xs, and 4-bit floats (e2m1) doubled.
#ifndef GGML_DIRECTX_FORMATS_NONLINEAR_HLSLI
#define GGML_DIRECTX_FORMATS_NONLINEAR_HLSLI

#include "words.hlsli"

// Signed bytes in the order of the codes: in registers, where an indexed table would be memory.
static const uint4 iq4_values = uint4(0xbfad9881u, 0xf6eaddcfu, 0x26190d01u, 0x71594535u); // -127 -104 -83 ... 89 113
static const uint4 fp4_values = uint4(0x03020100u, 0x0c080604u, 0xfdfeff00u, 0xf4f8fafcu); // 0 1 2 3 4 6 8 12, then negative

float value_of_code(uint4 values, uint q) {
    const uint2 pair = (q & 8u) ? values.zw : values.xy;
    const uint  word = (q & 4u) ? pair.y : pair.x;
    return float(int(word << (24u - (q & 3u) * 8u)) >> 24);
}

// Of the low nibbles of four bytes.
float4 values_of_codes(uint4 values, uint w) {
    return float4(value_of_code(values, w), value_of_code(values, w >> 8), value_of_code(values, w >> 16), value_of_code(values, w >> 24));
}

// The code of a rising table whose value is nearest; of two, the upper one.
uint nearest_code(uint4 values, float v) {
    uint low  = 0;
    uint high = 15;
    if (v <= value_of_code(values, 0)) {
        return 0;
    }
    if (v >= value_of_code(values, 15)) {
        return 15;
    }
    [unroll] for (uint i = 0; i < 4; ++i) { // 15 apart: four halvings
        const uint middle = (low + high) / 2;
        if (high - low > 1) {
            if (v < value_of_code(values, middle)) {
                high = middle;
            } else {
                low = middle;
            }
        }
    }
    return v - value_of_code(values, high - 1) < value_of_code(values, high) - v ? high - 1 : high;
}

// The code of a 4-bit float whose multiple of d is nearest; of equals, the first.
uint nearest_fp4(float d, float v) {
    uint  best  = 0;
    float error = abs(v);
    [loop] for (uint i = 1; i < 16; ++i) {
        precise float e = value_of_code(fp4_values, i) * d - v;
        if (abs(e) < error) {
            error = abs(e);
            best  = i;
        }
    }
    return best;
}

#endif
