// 32 elements: a power of two as one byte, 16 bytes of nibbles as in q4_0; x = 2^(e - 127) * e2m1. Blocks start anywhere.
#include "nonlinear.hlsli"

static const uint mxfp4_block = 32;
static const uint mxfp4_bytes = 17;

// Half of 2^(e - 127): the values are doubled.
float mxfp4_scale(uint e) {
    return asfloat(e < 2 ? 0x00200000u << e : (e - 1) << 23);
}

// Eight bytes at any address behind the first of a block, by three words that the block lies in.
uint2 load8_unaligned(RWByteAddressBuffer b, uint a) {
    const uint3 w     = b.Load3((a - 1) & ~3u);
    const uint  shift = (a & 3u) * 8;
    if (shift == 0) {
        return w.yz;
    }
    return uint2((w.x >> shift) | (w.y << (32 - shift)), (w.y >> shift) | (w.z << (32 - shift)));
}

void row_load8_mxfp4(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 32) * 17;
    const float d     = mxfp4_scale(load_u8(b, block));
    const uint2 q     = load8_unaligned(b, block + 1 + (k & 8u)) >> ((k & 16u) / 4);
    lo = d * values_of_codes(fp4_values, q.x);
    hi = d * values_of_codes(fp4_values, q.y);
}

float row_load_mxfp4(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_mxfp4(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}

#ifdef ENCODE

void encode_mxfp4(RWByteAddressBuffer b, uint at, block_source s) {
    // The exponent of the largest, 2 less: it comes to lie between 4 and 8, and the greatest e2m1 is 6.
    const float most = source_most(s, 32);
    const uint  e    = most > 0.0f ? ((asuint(most) >> 23) - 2) & 0xffu : 0;
    const float d    = mxfp4_scale(e);
    clear_block(5);
    set_block_bits(0, e);
    [loop] for (uint j = 0; j < 32; ++j) {
        set_block_bits(1 + (j & 15u), nearest_fp4(d, source_element(s, j)) << ((j & 16u) / 4));
    }

    // 17 bytes at any address, with neighbours at both ends.
    const uint shift = (at & 3u) * 8;
    const uint first = at & ~3u;
    if (shift == 0) {
        b.Store4(first, uint4(block_words[0], block_words[1], block_words[2], block_words[3]));
        store_u8(b, first + 16, block_words[4]);
        return;
    }
    const uint back = 32 - shift;
    b.InterlockedAnd(first, ~(0xffffffffu << shift));
    b.InterlockedOr(first, block_words[0] << shift);
    [loop] for (uint i = 1; i < 4; ++i) {
        b.Store(first + 4 * i, (block_words[i - 1] >> back) | (block_words[i] << shift));
    }
    const uint last = (block_words[3] >> back) | (block_words[4] << shift);
    if (shift == 24) {
        b.Store(first + 16, last);
    } else {
        b.InterlockedAnd(first + 16, 0xffffffffu << (shift + 8));
        b.InterlockedOr(first + 16, last);
    }
}

#endif
