// Transposed convolution: an output collects from the inputs whose filters reach it.

#define GROUP_SIZE 128

#include "common.hlsli"
#include "conv_args.h"
#include "volume.hlsli"

RWByteAddressBuffer weights : register(u0);
RWByteAddressBuffer src     : register(u1);
RWByteAddressBuffer dst     : register(u2);

cbuffer args_buffer : register(b0) {
    conv_args a;
};

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint index = a.first + linear_group(group) * GROUP_SIZE + thread;
    if (index >= a.n) {
        return;
    }
    const place to     = place_of(a.dst, index);
    const uint2 own    = to.at.xy;
    const uint2 stride = uint2(a.window.stride.xy);

    // Inputs whose first tap is less than an extent before this output
    const uint2 first = (max(own + stride, a.window.ne.xy) - a.window.ne.xy) / stride;
    const uint2 end   = min(own / stride + 1, a.src.ne.xy);

    float sum = 0.0f;
    [loop] for (uint y = first.y; y < end.y; ++y) {
        [loop] for (uint x = first.x; x < end.x; ++x) {
            const uint2 tap  = own - uint2(x, y) * stride;
            uint        from = address(a.src, uint3(x, y, 0), 0, to.batch);
            uint        with = address(a.weights, uint3(tap, 0), 0, to.channel);
            [loop] for (uint c = 0; c < a.src.ne.w; ++c) {
                sum += load_f32(src, from) * CONCAT(load_, WEIGHTS)(weights, with);
                from += a.src.nb.w;
                with += a.weights.nb.w;
            }
        }
    }
    store_f32(dst, address(a.dst, to), sum);
}
