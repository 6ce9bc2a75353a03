// 256 elements in base 3: 32 bytes with five each (byte l has l + {0, 32 ... 128}), 16 bytes with five (160 + l +
// {0, 16 ... 64}), 4 bytes with four (240 + l + {0, 4, 8, 12}), half d; x = d * (digit - 1).
#include "words.hlsli"

static const uint tq1_0_block = 256;
static const uint tq1_0_bytes = 54;

// A byte is a fraction of 256: times 3^n, what is left of it begins with digit n.
float4 tq1_0_digits(uint w, uint n) {
    const uint  power = n < 4 ? (0x1b090301u >> (8 * n)) & 0xffu : 81u;
    const uint4 q     = uint4(w, w >> 8, w >> 16, w >> 24);
    return float4((((q & 0xffu) * power & 0xffu) * 3u) >> 8);
}

void row_load8_tq1_0(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 54;
    const uint  j     = k & 255u;
    const float d     = f16_to_f32(load_u16(b, block + 52));
    uint2 q;
    uint2 n; // the digits
    if (j < 160) {
        q = load8_after(b, block + (j & 31u));
        n = j / 32;
    } else if (j < 240) {
        q = load8_after(b, block + 32 + (j & 15u));
        n = (j - 160) / 16;
    } else {
        q = load_u32(b, block + 48);
        n = uint2(j - 240, j - 236) / 4;
    }
    lo = d * (tq1_0_digits(q.x, n.x) - 1.0f);
    hi = d * (tq1_0_digits(q.y, n.y) - 1.0f);
}

float row_load_tq1_0(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_tq1_0(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}

#ifdef ENCODE

// Digits of elements first, first + step ... to one byte, the first the most significant: a fraction of 3^5, rounded up.
uint tq1_0_byte(block_source s, float r, uint first, uint step, uint n) {
    uint q = 0;
    [loop] for (uint i = 0; i < 5; ++i) {
        q = q * 3;
        if (i < n) {
            q += uint(int(round_half_away(source_element(s, first + i * step) * r)) + 1);
        }
    }
    return (q * 256 + 242) / 243;
}

void encode_tq1_0(RWByteAddressBuffer b, uint at, block_source s) {
    const float d = source_most(s, 256);
    const float r = reciprocal_or_zero(d);
    clear_block(14);
    set_block_bits(52, f32_to_f16(d));
    [loop] for (uint i = 0; i < 52; ++i) {
        const uint3 where = i < 32 ? uint3(i, 32, 5) : i < 48 ? uint3(128 + i, 16, 5) : uint3(192 + i, 4, 4);
        set_block_bits(i, tq1_0_byte(s, r, where.x, where.y, where.z) & 0xffu);
    }
    store_block(b, at, 54);
}

#endif
