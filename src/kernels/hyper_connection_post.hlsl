// A layer's output added to each of a token's streams, which are mixed with one another. A thread makes one element of four
// streams, so that it reads the old ones once.

#define GROUP_SIZE 128

#include "hyper_connection_args.h"
#include "common.hlsli"

RWByteAddressBuffer x        : register(u0);
RWByteAddressBuffer residual : register(u1);
RWByteAddressBuffer weights  : register(u2);
RWByteAddressBuffer comb     : register(u3);
RWByteAddressBuffer dst      : register(u4);

cbuffer args_buffer : register(b0) {
    hyper_connection_args a;
};

float4 load_streams(RWByteAddressBuffer b, uint at, uint4 streams, uint pitch) {
    const uint4 from = at + streams * pitch;
    return asfloat(uint4(b.Load(from.x), b.Load(from.y), b.Load(from.z), b.Load(from.w)));
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint i      = linear_group(group) * GROUP_SIZE + thread;
    const uint e      = i % a.dst.ne.x;
    const uint fours  = (a.dst.ne.y + 3) / 4;
    const uint stream = i / a.dst.ne.x % fours * 4;
    const uint token  = i / a.dst.ne.x / fours;
    if (token >= a.dst.ne.z) {
        return;
    }
    // Streams past the last one repeat it, and are not stored.
    const uint4 streams = min(stream + uint4(0, 1, 2, 3), a.dst.ne.y - 1);

    float4 sum = load_f32(x, a.x.offset + e * a.x.nb.x + token * a.x.nb.y) *
                 load_streams(weights, a.weights.offset + token * a.weights.nb.y, streams, a.weights.nb.x);
    [loop] for (uint from = 0; from < a.residual.ne.y; ++from) {
        sum += load_f32(residual, a.residual.offset + e * a.residual.nb.x + from * a.residual.nb.y + token * a.residual.nb.z) *
               load_streams(comb, a.comb.offset + from * a.comb.nb.y + token * a.comb.nb.z, streams, a.comb.nb.x);
    }
    const uint to = a.dst.offset + e * a.dst.nb.x + token * a.dst.nb.z;
    [unroll] for (uint k = 0; k < 4; ++k) {
        if (stream + k < a.dst.ne.y) {
            store_f32(dst, to + (stream + k) * a.dst.nb.y, sum[k]);
        }
    }
}
