// Each element of dst = the sum of all that REPEAT would have made of it.

#define GROUP_SIZE 128

#include "reduce_args.h"
#include "common.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    repeat_back_args a;
};

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint i = linear_group(group) * GROUP_SIZE + thread;
    if (i >= a.n) {
        return;
    }
    const uint4 c       = coordinates(i, a.dst.ne);
    const uint4 repeats = a.src.ne / a.dst.ne;

    float sum = 0.0f;
    [loop] for (uint r = 0; r < repeats.x * repeats.y * repeats.z * repeats.w; ++r) {
        sum += load_f32(src, address(a.src, c + coordinates(r, repeats) * a.dst.ne));
    }
    store_f32(dst, address(a.dst, c), sum);
}
