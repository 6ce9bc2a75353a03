// What the encoders share. encode_T writes one block from its 32 elements, as ggml's reference quantisers do, rounding
// included; `precise` keeps the compilers from contracting or reordering what decides a rounding.
#ifndef GGML_DIRECTX_FORMATS_ENCODE_HLSLI
#define GGML_DIRECTX_FORMATS_ENCODE_HLSLI

#include "words.hlsli"

// Largest of 32 by magnitude, with its sign; the first of equals.
float signed_extreme(float4 v[8]) {
    float most = 0.0f;
    float at   = 0.0f;
    [unroll] for (uint i = 0; i < 8; ++i) {
        [unroll] for (uint j = 0; j < 4; ++j) {
            const float a = abs(v[i][j]);
            if (most < a) {
                most = a;
                at   = v[i][j];
            }
        }
    }
    return at;
}

float2 least_and_most(float4 v[8]) {
    float4 least = v[0];
    float4 most  = v[0];
    [unroll] for (uint i = 1; i < 8; ++i) {
        least = min(least, v[i]);
        most  = max(most, v[i]);
    }
    return float2(min(min(least.x, least.y), min(least.z, least.w)), max(max(most.x, most.y), max(most.z, most.w)));
}

float reciprocal_or_zero(float d) {
    precise float r = 0.0f;
    if (d != 0.0f) {
        r = 1.0f / d;
    }
    return r;
}

// C's roundf: halves away from zero.
float round_half_away(float v) {
    const float t = trunc(v);
    return abs(v - t) >= 0.5f ? t + (v < 0.0f ? -1.0f : 1.0f) : t;
}

uint pack_bytes(uint4 v) {
    return v.x | (v.y << 8) | (v.z << 16) | (v.w << 24);
}

// Bit 4 of each of 32 quants, to one word.
uint pack_fifth_bits(uint4 q[8]) {
    uint bits = 0;
    [unroll] for (uint i = 0; i < 8; ++i) {
        const uint4 b = (q[i] >> 4) & 1u;
        bits |= (b.x | (b.y << 1) | (b.z << 2) | (b.w << 3)) << (4 * i);
    }
    return bits;
}

// Nibbles as q4_0 orders them: word i has elements 4 i .. 4 i + 3 (low) and 4 i + 16 .. (high).
uint4 pack_nibbles(uint4 q[8]) {
    uint4 w;
    [unroll] for (uint i = 0; i < 4; ++i) {
        w[i] = pack_bytes((q[i] & 15u) | ((q[i + 4] & 15u) << 4));
    }
    return w;
}

// A block of a half and n words at a multiple of 2. The half word at one end shares its word with another block, which
// another thread may be writing; every other word is this block's alone.
void store_half_and_words(RWByteAddressBuffer b, uint at, uint first, uint w[8], uint n) {
    if (at & 2u) {
        store_u16(b, at, first);
        [unroll] for (uint i = 0; i < n; ++i) {
            b.Store(at + 2 + 4 * i, w[i]);
        }
    } else {
        uint carry = first;
        [unroll] for (uint j = 0; j < n; ++j) {
            b.Store(at + 4 * j, carry | (w[j] << 16));
            carry = w[j] >> 16;
        }
        store_u16(b, at + 4 * n, carry);
    }
}

#endif
