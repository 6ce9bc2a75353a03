// dst[channel, token, sequence] = a window of the channel, which starts at the token, times the channel's weights.

#define GROUP_SIZE 128

#include "ssm_conv_args.h"
#include "common.hlsli"

RWByteAddressBuffer src     : register(u0);
RWByteAddressBuffer weights : register(u1);
RWByteAddressBuffer dst     : register(u2);

cbuffer args_buffer : register(b0) {
    ssm_conv_args a;
};

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint index = linear_group(group) * GROUP_SIZE + thread;
    if (index >= a.n) {
        return;
    }
    const uint4 c    = coordinates(index, a.dst.ne);
    const uint  from = address(a.src, uint4(c.y, c.x, c.z, c.w));
    const uint  with = address(a.weights, uint4(0, c.x, 0, 0));

    float sum = 0.0f;
    [loop] for (uint k = 0; k < a.weights.ne.x; ++k) {
        sum += load_f32(src, from + k * a.src.nb.x) * load_f32(weights, with + k * a.weights.nb.x);
    }
    store_f32(dst, address(a.dst, c), sum);
}
