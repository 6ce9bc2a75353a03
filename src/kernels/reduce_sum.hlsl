// Element i of dst = the sum of slice i of src, divided. A slice is a row, or a piece of one: longer sums take several
// passes, so that rounding errors grow with the logarithm of the length only.
//   SRC, DST  types

#define GROUP_SIZE 128

#include "reduce_args.h"
#include "group_reduce.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    reduce_sum_args a;
};

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint index = linear_group(group);
    const uint first = min(index, (a.n - 1) / a.slice) * a.slice; // groups that run over repeat the last slice
    const uint count = min(a.n - first, a.slice);
    const uint from  = address(a.src, coordinates(first, a.src.ne));

    float sum = 0.0f;
    [loop] for (uint k = thread; k < count; k += GROUP_SIZE) {
        sum += CONCAT(load_, SRC)(src, from + k * a.src.nb.x);
    }
    sum = group_sum(sum, thread);

    if (thread == 0 && index * a.slice == first) {
        CONCAT(store_, DST)(dst, address(a.dst, coordinates(index, a.dst.ne)), sum / a.divisor);
    }
}
