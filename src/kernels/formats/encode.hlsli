// What the encoders share. They write a block as ggml's reference quantisers do, rounding included: sums run in the same
// order, and `precise` keeps the compilers from contracting or reordering what decides a rounding.
#ifndef GGML_DIRECTX_FORMATS_ENCODE_HLSLI
#define GGML_DIRECTX_FORMATS_ENCODE_HLSLI

#include "words.hlsli"

// Below this a group of elements counts as all zero.
static const float group_max_eps = 1e-15f;

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

// n - q * d, near enough to see which way q was rounded: halves of 12 bits have exact products.
float remainder_of(float n, float q, float d) {
    const float q_high = asfloat(asuint(q) & 0xfffff000u);
    const float d_high = asfloat(asuint(d) & 0xfffff000u);
    precise float q_low = q - q_high;
    precise float d_low = d - d_high;
    precise float r     = n - q_high * d_high;
    r -= q_high * d_low;
    r -= q_low * d_high;
    r -= q_low * d_low;
    return r;
}

// n / d as IEEE rounds it. A driver's own quotient may be off by some units in the last place, and one such unit moves a
// quant that lies near the middle of two: on NVIDIA one case in ten of SET_ROWS and CPY differed from the CPU.
float quotient(float n, float d) {
    precise float q = n / d;
    if (abs(q) < 1e30f && abs(q) > 1e-30f && abs(n) > 1e-30f) { // else the halves may over- or underflow
        precise float correction = remainder_of(n, q, d) / d;
        q += correction;
    }
    return q;
}

// The square root, likewise.
float root(float v) {
    precise float q = sqrt(v);
    if (v > 1e-30f && v < 1e30f) {
        precise float correction = remainder_of(v, q, q) / (2.0f * q);
        q += correction;
    }
    return q;
}

float reciprocal_or_zero(float d) {
    return d != 0.0f ? quotient(1.0f, d) : 0.0f;
}

// C's roundf: halves away from zero.
float round_half_away(float v) {
    const float t = trunc(v);
    return abs(v - t) >= 0.5f ? t + (v < 0.0f ? -1.0f : 1.0f) : t;
}

// Halves to even, as ggml's nearest_int.
int nearest(float v) {
    return int(round(v));
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

// Blocks that take more work, or have more than 32 elements, read them one by one. The kernel says where they are.
struct block_source {
    uint from;  // address of the first, if they are neighbours
    uint first; // its number, counted over all dimensions
};

float source_element(block_source s, uint j);

// Largest by magnitude, with its sign; the first of equals.
float source_extreme(block_source s, uint n) {
    float most = 0.0f;
    [loop] for (uint j = 0; j < n; ++j) {
        const float v = source_element(s, j);
        if (abs(v) > abs(most)) {
            most = v;
        }
    }
    return most;
}

float source_most(block_source s, uint n) {
    return abs(source_extreme(s, n));
}

// Where a large block is built: its bytes in order, then stored at once.
static uint block_words[53];

void clear_block(uint n_words) {
    [loop] for (uint i = 0; i < n_words; ++i) {
        block_words[i] = 0;
    }
}

void set_block_bits(uint byte, uint v) {
    block_words[byte / 4] |= v << ((byte & 3u) * 8);
}

// At a multiple of 2: a half word at either end may be another thread's neighbour.
void store_block(RWByteAddressBuffer b, uint at, uint n_bytes) {
    const uint n = n_bytes / 4;
    if (at & 2u) {
        store_u16(b, at, block_words[0] & 0xffffu);
        [loop] for (uint i = 0; i < n; ++i) {
            b.Store(at + 2 + 4 * i, (block_words[i] >> 16) | (block_words[i + 1] << 16));
        }
    } else {
        [loop] for (uint j = 0; j < n; ++j) {
            b.Store(at + 4 * j, block_words[j]);
        }
        if (n_bytes & 2u) {
            store_u16(b, at + 4 * n, block_words[n] & 0xffffu);
        }
    }
}

#endif
