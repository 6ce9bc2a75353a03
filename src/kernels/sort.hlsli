// Entries that sort: a key whose unsigned order is the order wanted, and the element's index, which decides between equals.
#ifndef GGML_DIRECTX_SORT_HLSLI
#define GGML_DIRECTX_SORT_HLSLI

#include "sort_args.h"
#include "common.hlsli"

uint sort_key(float v, uint descending) {
    const uint bits = asuint(v) == 0x80000000u ? 0 : asuint(v); // zeros are equal
    const uint key  = (bits & 0x80000000u) ? ~bits : bits | 0x80000000u;
    return descending ? ~key : key;
}

bool comes_before(uint2 x, uint2 y) {
    return x.x < y.x || (x.x == y.x && x.y < y.y);
}

uint start_of_row(tensor_args t, uint row) {
    return address(t, coordinates(row, uint4(1, t.ne.yzw)));
}

#endif
