// A token's streams, weighted and added: what goes into a layer.

#define GROUP_SIZE 128

#include "hyper_connection_args.h"
#include "common.hlsli"

RWByteAddressBuffer x       : register(u0);
RWByteAddressBuffer weights : register(u1);
RWByteAddressBuffer dst     : register(u2);

cbuffer args_buffer : register(b0) {
    hyper_connection_args a;
};

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint i     = linear_group(group) * GROUP_SIZE + thread;
    const uint token = i / a.dst.ne.x;
    const uint e     = i % a.dst.ne.x;
    if (token >= a.dst.ne.y) {
        return;
    }
    float sum = 0.0f;
    [loop] for (uint stream = 0; stream < a.x.ne.y; ++stream) {
        sum += load_f32(x, a.x.offset + e * a.x.nb.x + stream * a.x.nb.y + token * a.x.nb.z) *
               load_f32(weights, a.weights.offset + stream * a.weights.nb.x + token * a.weights.nb.y);
    }
    store_f32(dst, a.dst.offset + e * a.dst.nb.x + token * a.dst.nb.y, sum);
}
