// The gradient of an image from that of its im2col: each element collects from the windows that saw it.

#define GROUP_SIZE 128

#include "common.hlsli"
#include "im2col_args.h"
#include "volume.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    im2col_args a;
};

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint index = linear_group(group) * GROUP_SIZE + thread;
    if (index >= a.n) {
        return;
    }
    const place to     = place_of(a.image, index);
    const uint  taps   = a.window.ne.x * a.window.ne.y;
    const int2  stride = a.window.stride.xy;

    float sum = 0.0f;
    [loop] for (uint y = 0; y < a.window.ne.y; ++y) {
        [loop] for (uint x = 0; x < a.window.ne.x; ++x) {
            // Which output, times the stride, has this tap here? Only whole ones exist.
            const int2 scaled = int2(to.at.xy) + a.window.padding.xy - int2(x, y) * a.window.dilation.xy;
            const uint2 output = uint2(scaled) / uint2(stride);
            if (all(scaled >= 0) && all(output * uint2(stride) == uint2(scaled)) && all(output < a.columns.ne.xy)) {
                const uint tap = to.channel * taps + y * a.window.ne.x + x;
                sum += load_f32(src, address(a.columns, uint3(output, 0), tap, to.batch));
            }
        }
    }
    store_f32(dst, address(a.image, to), sum);
}
