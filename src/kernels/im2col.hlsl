// A row for each output of a convolution: all that its window sees, channel by channel, with zeros outside of the image.

#define GROUP_SIZE 128

#include "im2col_args.h"
#include "quad.hlsli"
#include "volume.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    im2col_args a;
};

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint quad = linear_group(group) * GROUP_SIZE + thread;
    if (quad >= a.n / 4 + (a.n % 4 != 0)) {
        return;
    }
    const uint first = quad * 4;
    const uint count = min(a.n - first, 4u);

    // Taps within a channel within a row; rows count outputs.
    volume_args outputs = a.columns;
    outputs.ne.w        = 1;
    volume_args taps    = a.image;
    taps.ne.xyz         = a.window.ne.xyz;
    place       to      = place_of(outputs, first / a.columns.ne.w);
    place       from    = place_of(taps, first % a.columns.ne.w);

    uint4  at = 0;
    float4 v  = 0.0f;
    to.channel = first % a.columns.ne.w;
    [unroll] for (uint k = 0; k < 4; ++k) {
        if (k < count) {
            const int3 image_at = under(a.window, to.at, from.at);
            if (is_inside(a.image, image_at)) {
                v[k] = CONCAT(load_, SRC)(src, address(a.image, uint3(image_at), from.channel, to.batch));
            }
            at[k] = address(a.columns, to);

            // The next element: taps, channels, then outputs wrap around.
            ++to.channel;
            if (++from.at.x == a.window.ne.x) {
                from.at.x = 0;
                if (++from.at.y == a.window.ne.y) {
                    from.at.y = 0;
                    if (++from.at.z == a.window.ne.z) {
                        from.at.z = 0;
                        ++from.channel;
                    }
                }
            }
            if (to.channel == a.columns.ne.w) {
                to           = place_of(outputs, (first + k + 1) / a.columns.ne.w);
                from.channel = 0;
            }
        }
    }
    CONCAT(store_few_, DST)(dst, at, v, count, a.packed && count == 4);
}
