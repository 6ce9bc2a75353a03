// dst = src0 op src1, src1 repeated over src0.
//   LAYOUT  flat: all contiguous, of one shape, from multiples of 4 bytes, and a multiple of 4 elements
//           rows: rows likewise, each anywhere at a multiple of 4 bytes; src1's rows may also have one element
//           strided: anything
//   SRC0, SRC1, DST  types

#define GROUP_SIZE 128

#include "binary_args.h"
#include "quad.hlsli"

RWByteAddressBuffer src0 : register(u0);
RWByteAddressBuffer src1 : register(u1);
RWByteAddressBuffer dst  : register(u2);

cbuffer args_buffer : register(b0) {
    binary_args a;
};

float4 apply(float4 x, float4 y) {
    float4 z = x;
    switch (a.op) {
        case binary_add: z = x + y; break;
        case binary_sub: z = x - y; break;
        case binary_mul: z = x * y; break;
        case binary_div: z = x / y; break;
        default:         break;
    }
    return z;
}

void run_flat(uint first) {
    const float4 x = CONCAT(load4_, SRC0)(src0, a.src0.offset + first * CONCAT(SRC0, _bytes));
    const float4 y = CONCAT(load4_, SRC1)(src1, a.src1.offset + first * CONCAT(SRC1, _bytes));
    CONCAT(store4_, DST)(dst, a.dst.offset + first * CONCAT(DST, _bytes), apply(x, y));
}

void run_rows(uint first) {
    const uint4  c = coordinates(first, a.dst.ne);
    const float4 x = CONCAT(load4_, SRC0)(src0, address(a.src0, c));

    const uint4 c1 = uint4(c.x, c.yzw % a.src1.ne.yzw);
    float4      y;
    if (a.src1.ne.x == 1) {
        y = CONCAT(load_, SRC1)(src1, address(a.src1, uint4(0, c1.yzw)));
    } else {
        y = CONCAT(load4_, SRC1)(src1, address(a.src1, c1));
    }
    CONCAT(store4_, DST)(dst, address(a.dst, c), apply(x, y));
}

void run_strided(uint first) {
    const uint count = min(a.n - first, 4u);

    uint4  c  = coordinates(first, a.dst.ne);
    uint4  to = address(a.dst, c);
    float4 x  = 1.0f;
    float4 y  = 1.0f;
    [unroll] for (uint k = 0; k < 4; ++k) {
        if (k < count) {
            x[k]  = CONCAT(load_, SRC0)(src0, address(a.src0, c));
            y[k]  = CONCAT(load_, SRC1)(src1, address(a.src1, c % a.src1.ne));
            to[k] = address(a.dst, c);
            c     = next(c, a.dst.ne);
        }
    }

    CONCAT(store_few_, DST)(dst, to, apply(x, y), count, a.packed && count == 4);
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint quad = linear_group(group) * GROUP_SIZE + thread;
    if (quad < a.n / 4 + (a.n % 4 != 0)) {
        CONCAT(run_, LAYOUT)(quad * 4);
    }
}
