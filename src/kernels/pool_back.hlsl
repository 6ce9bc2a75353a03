// The gradient of an image from that of its pooling: each element collects from the windows that saw it. Of equal largest
// ones in a window the first gets the gradient.

#define GROUP_SIZE 128

#include "common.hlsli"
#include "pool_args.h"
#include "volume.hlsli"

RWByteAddressBuffer src     : register(u0);
RWByteAddressBuffer forward : register(u1);
RWByteAddressBuffer dst     : register(u2);

cbuffer args_buffer : register(b0) {
    pool_args a;
};

// The place of the largest element that a window sees; outside of the image if it sees none.
int2 place_of_largest(place window) {
    float most = lowest_float;
    int2  best = -1;
    [loop] for (uint y = 0; y < a.window.ne.y; ++y) {
        [loop] for (uint x = 0; x < a.window.ne.x; ++x) {
            const int3 at = under(a.window, window.at, uint3(x, y, 0));
            if (is_inside(a.forward, at)) {
                const float v = load_f32(forward, address(a.forward, uint3(at), window.channel, window.batch));
                if (v > most || is_nan(v) || is_nan(most)) { // as ggml's comparison, which asks for "not less or equal"
                    most = v;
                    best = at.xy;
                }
            }
        }
    }
    return best;
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint index = linear_group(group) * GROUP_SIZE + thread;
    if (index >= a.n) {
        return;
    }
    place      to     = place_of(a.image, index);
    const int2 own    = int2(to.at.xy);
    const int2 extent = int2(a.window.ne.xy);
    const int2 stride = a.window.stride.xy;

    // The windows that see this element: those that begin at most an extent before it.
    const int2  padded = own + a.window.padding.xy;
    const uint2 first  = uint2(max(padded - extent + stride, 0)) / uint2(stride);
    const uint2 end    = min(uint2(max(padded, -stride) + stride) / uint2(stride), a.pooled.ne.xy);

    float sum = 0.0f;
    [loop] for (uint y = first.y; y < end.y; ++y) {
        [loop] for (uint x = first.x; x < end.x; ++x) {
            to.at = uint3(x, y, 0);
            if (!a.largest || all(place_of_largest(to) == own)) {
                const float v = load_f32(src, address(a.pooled, to));
                sum += a.largest ? v : v / float(a.divisor);
            }
        }
    }
    to.at = uint3(own, 0);
    store_f32(dst, address(a.image, to), sum);
}
