// A row for each timestep: its cosines at frequencies from 1 downwards, then its sines, then a zero if the row is odd.

#define GROUP_SIZE 64

#include "timestep_embedding_args.h"
#include "common.hlsli"
#include "math.hlsli"

RWByteAddressBuffer timesteps : register(u0);
RWByteAddressBuffer dst       : register(u1);

cbuffer args_buffer : register(b0) {
    timestep_embedding_args a;
};

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint i = linear_group(group) * GROUP_SIZE + thread;
    if (i >= a.n) {
        return;
    }
    const uint row = i / a.columns;
    const uint j   = i - row * a.columns;
    const uint to  = a.dst.offset + row * a.dst.nb.y;
    if (j == a.half_count) {
        store_f32(dst, to + 2 * j * a.dst.nb.x, 0.0f);
        return;
    }
    const float frequency = exp(a.log_period * float(j) / float(a.half_count));
    const float angle     = reduce_angle(load_f32(timesteps, a.timesteps.offset + row * a.timesteps.nb.x) * frequency).x;
    store_f32(dst, to + j * a.dst.nb.x, cos(angle));
    store_f32(dst, to + (j + a.half_count) * a.dst.nb.x, sin(angle));
}
