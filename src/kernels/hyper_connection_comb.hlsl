// The matrix by which a token mixes its four streams: a softmax of each row, then columns and rows in turn made to sum to 1.

#define GROUP_SIZE 64

#include "hyper_connection_args.h"
#include "common.hlsli"

RWByteAddressBuffer mixes : register(u0);
RWByteAddressBuffer scale : register(u1);
RWByteAddressBuffer base  : register(u2);
RWByteAddressBuffer dst   : register(u3);

cbuffer args_buffer : register(b0) {
    hyper_connection_comb_args a;
};

static const uint streams = 4;
static const uint first   = 2 * streams; // what comes before makes other weights

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint token = linear_group(group) * GROUP_SIZE + thread;
    if (token >= a.dst.ne.z) {
        return;
    }
    const float factor = load_f32(scale, a.scale.offset + 2 * a.scale.nb.x);

    uint i;
    float4 rows[streams];
    [unroll] for (i = 0; i < streams; ++i) {
        float4 v;
        [unroll] for (uint j = 0; j < streams; ++j) {
            const uint k = first + i * streams + j;
            v[j] = load_f32(mixes, a.mixes.offset + k * a.mixes.nb.x + token * a.mixes.nb.y) * factor +
                   load_f32(base, a.base.offset + k * a.base.nb.x);
        }
        v = exp(max(v - max(max(v.x, v.y), max(v.z, v.w)), -87.0f));
        rows[i] = v / dot(v, 1.0f) + a.eps;
    }

    [loop] for (uint iteration = 0; iteration < a.iterations; ++iteration) {
        if (iteration > 0) {
            [unroll] for (i = 0; i < streams; ++i) {
                rows[i] /= dot(rows[i], 1.0f) + a.eps;
            }
        }
        const float4 sums = rows[0] + rows[1] + rows[2] + rows[3] + a.eps;
        [unroll] for (i = 0; i < streams; ++i) {
            rows[i] /= sums;
        }
    }

    [unroll] for (i = 0; i < streams; ++i) {
        const uint to = a.dst.offset + i * a.dst.nb.y + token * a.dst.nb.z;
        [unroll] for (uint j = 0; j < streams; ++j) {
            store_f32(dst, to + j * a.dst.nb.x, rows[i][j]);
        }
    }
}
