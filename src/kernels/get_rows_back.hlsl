// The gradient of GET_ROWS: each row of dst that was got = the sum of the gradients of all its copies, in their order. The
// groups of the first copy add them up, so that nothing is left to the order in which groups run.
//   SRC  type of the gradient
// dst has been cleared.

#define GROUP_SIZE 128

#include "rows_args.h"
#include "common.hlsli"

RWByteAddressBuffer gradient : register(u0);
RWByteAddressBuffer rows     : register(u1);
RWByteAddressBuffer dst      : register(u2);

cbuffer args_buffer : register(b0) {
    get_rows_back_args a;
};

uint index_of(uint copy) {
    return rows.Load(a.rows.offset + copy * a.rows.nb.x);
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint chunk = linear_group(group);
    const uint own   = chunk / a.chunks;
    const uint first = (chunk - own * a.chunks) * GROUP_SIZE * 4 + thread;
    if (own >= a.n_rows || first >= a.dst.ne.x) {
        return;
    }
    const uint index = index_of(own);
    bool       leads = index < a.dst.ne.y; // a wrong index must not write foreign memory
    uint       copy;
    [loop] for (copy = 0; copy < own && leads; ++copy) {
        leads = index_of(copy) != index;
    }
    if (!leads) {
        return;
    }

    float4 sum = 0.0f;
    uint   k;
    [loop] for (copy = own; copy < a.n_rows; ++copy) {
        if (index_of(copy) == index) {
            [unroll] for (k = 0; k < 4; ++k) {
                if (first + k * GROUP_SIZE < a.dst.ne.x) {
                    sum[k] += CONCAT(load_, SRC)(gradient, address(a.gradient, uint4(first + k * GROUP_SIZE, copy, 0, 0)));
                }
            }
        }
    }
    [unroll] for (k = 0; k < 4; ++k) {
        if (first + k * GROUP_SIZE < a.dst.ne.x) {
            store_f32(dst, address(a.dst, uint4(first + k * GROUP_SIZE, index, 0, 0)), sum[k]);
        }
    }
}
