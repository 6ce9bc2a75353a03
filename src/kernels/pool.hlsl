// The mean or the largest of what a window sees of one channel.

#define GROUP_SIZE 128

#include "common.hlsli"
#include "pool_args.h"
#include "volume.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    pool_args a;
};

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint index = linear_group(group) * GROUP_SIZE + thread;
    if (index >= a.n) {
        return;
    }
    const place to = place_of(a.pooled, index);

    float sum   = 0.0f;
    float most  = lowest_float;
    uint  count = 0;
    [loop] for (uint y = 0; y < a.window.ne.y; ++y) {
        [loop] for (uint x = 0; x < a.window.ne.x; ++x) {
            const int3 at = under(a.window, to.at, uint3(x, y, 0));
            if (is_inside(a.image, at)) {
                const float v = CONCAT(load_, SRC)(src, address(a.image, uint3(at), to.channel, to.batch));
                sum += v;
                most = v < most ? most : v;
                ++count;
            }
        }
    }
    const uint divisor = a.divisor != 0 ? a.divisor : max(count, 1u);
    store_f32(dst, address(a.pooled, to), a.largest ? most : sum / float(divisor));
}
