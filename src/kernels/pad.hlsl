// Moves src within a larger or equal dst.
//   BEYOND  what lies outside of src: zero, wrap (src again) or reflect (src backwards, without its outermost element)
//   UNIT    u16 or u32: the size of an element

#define GROUP_SIZE 128

#include "pad_args.h"
#include "quad.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    pad_args a;
};

uint load_unit_u16(uint at) {
    return load_u16(src, at);
}

uint load_unit_u32(uint at) {
    return src.Load(at);
}

void store_units_u16(uint4 to, uint4 v, uint count, bool together) {
    store_few_halves(dst, to, v, count, together);
}

void store_units_u32(uint4 to, uint4 v, uint count, bool together) {
    store_few_words(dst, to, v, count, together);
}

uint at_zero(uint4 c) {
    c += a.shift;
    uint v = 0;
    if (all(c < a.src.ne)) {
        v = CONCAT(load_unit_, UNIT)(address(a.src, c));
    }
    return v;
}

uint at_wrap(uint4 c) {
    return CONCAT(load_unit_, UNIT)(address(a.src, (c + a.shift) % a.src.ne));
}

uint at_reflect(uint4 c) {
    const uint x = c.x + a.shift.x; // before src it wraps around, and so does its negative
    c.x          = min(x, min(0u - x, 2u * (a.src.ne.x - 1u) - x));
    return CONCAT(load_unit_, UNIT)(address(a.src, c));
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint quad = linear_group(group) * GROUP_SIZE + thread;
    if (quad >= a.n / 4 + (a.n % 4 != 0)) {
        return;
    }
    const uint first = quad * 4;
    const uint count = min(a.n - first, 4u);

    uint4 c  = coordinates(first, a.dst.ne);
    uint4 to = address(a.dst, c);
    uint4 v  = 0;
    [unroll] for (uint k = 0; k < 4; ++k) {
        if (k < count) {
            v[k]  = CONCAT(at_, BEYOND)(c);
            to[k] = address(a.dst, c);
            c     = next(c, a.dst.ne);
        }
    }
    CONCAT(store_units_, UNIT)(to, v, count, a.packed && count == 4);
}
