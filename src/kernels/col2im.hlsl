// Columns of taps, laid over one another a stride apart and added up: a signal for each channel.

#define GROUP_SIZE 128

#include "col2im_args.h"
#include "quad.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    col2im_args a;
};

float signal_at(uint time, uint channel) {
    time += a.crop;
    const uint first = time < a.taps ? 0 : (time - a.taps) / a.stride + 1;
    const uint last  = min(time / a.stride, a.src.ne.y - 1);

    float sum = 0.0f;
    [loop] for (uint column = first; column <= last; ++column) {
        const uint tap = time - column * a.stride;
        sum += CONCAT(load_, TYPE)(src, address(a.src, uint4(channel * a.taps + tap, column, 0, 0)));
    }
    return sum;
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint quad = linear_group(group) * GROUP_SIZE + thread;
    if (quad >= a.n / 4 + (a.n % 4 != 0)) {
        return;
    }
    const uint first = quad * 4;
    const uint count = min(a.n - first, 4u);

    uint4  c  = coordinates(first, a.dst.ne);
    uint4  to = 0;
    float4 v  = 0.0f;
    [unroll] for (uint k = 0; k < 4; ++k) {
        if (k < count) {
            v[k]  = signal_at(c.x, c.y);
            to[k] = address(a.dst, c);
            c     = next(c, a.dst.ne);
        }
    }
    CONCAT(store_few_, TYPE)(dst, to, v, count, a.packed && count == 4);
}
