// Depthwise convolution: each channel has a filter of its own.

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
    const uint index = linear_group(group) * GROUP_SIZE + thread;
    if (index >= a.n) {
        return;
    }
    // Neighbouring threads take neighbours in memory.
    place to;
    if (a.inner_channels) {
        volume_args places = a.dst;
        places.ne.w        = 1;
        to                 = place_of(places, index / a.dst.ne.w);
        to.channel         = index % a.dst.ne.w;
    } else {
        to = place_of(a.dst, index);
    }

    float sum = 0.0f;
    [loop] for (uint y = 0; y < a.window.ne.y; ++y) {
        [loop] for (uint x = 0; x < a.window.ne.x; ++x) {
            const int3 at = under(a.window, to.at, uint3(x, y, 0));
            if (is_inside(a.src, at)) {
                const float v = load_f32(src, address(a.src, uint3(at), to.channel, to.batch));
                sum += v * CONCAT(load_, WEIGHTS)(weights, address(a.weights, uint3(x, y, 0), 0, to.channel));
            }
        }
    }
    store_f32(dst, address(a.dst, to), sum);
}
