// Joins the partial results of a row's splits: four elements a thread.
#include "common.hlsli"
#include "flash_attn_args.h"

cbuffer args_buffer : register(b0) {
    flash_attn_reduce_args a;
};

RWByteAddressBuffer partial_data : register(u0);
RWByteAddressBuffer sinks_data   : register(u1);
RWByteAddressBuffer dst_data     : register(u2);

[numthreads(128, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint width = a.dst.ne.x;
    const uint quads = width / 4;
    const uint i     = linear_group(group) * 128 + thread;
    const uint row   = i / quads;
    const uint quad  = i % quads;
    if (row >= a.out_rows) {
        return;
    }

    const uint head  = row % a.dst.ne.y;
    const uint query = row / a.dst.ne.y % a.dst.ne.z;
    const uint batch = row / a.dst.ne.y / a.dst.ne.z;

    const uint states = a.partial + a.splits * a.out_rows * width * 4;

    float sink = 0.0f;
    float m    = -1.0e30f;
    if (a.has_sinks) {
        sink = asfloat(sinks_data.Load(a.sinks.offset + head * 4));
        m    = sink;
    }
    uint s;
    for (s = 0; s < a.splits; ++s) {
        m = max(m, asfloat(partial_data.Load(states + (s * a.out_rows + row) * 8)));
    }

    float  sum    = a.has_sinks ? exp(sink - m) : 0.0f;
    float4 values = 0;
    for (s = 0; s < a.splits; ++s) {
        const uint   at    = s * a.out_rows + row;
        const float2 state = asfloat(partial_data.Load2(states + at * 8));
        const float  w     = exp(state.x - m);
        sum    += w * state.y;
        values += w * asfloat(partial_data.Load4(a.partial + (at * width + quad * 4) * 4));
    }
    values *= sum == 0.0f ? 0.0f : 1.0f / sum;

    dst_data.Store4(a.dst.offset + quad * 16 + head * a.dst.nb.y + query * a.dst.nb.z + batch * a.dst.nb.w, asuint(values));
}
