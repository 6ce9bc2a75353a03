// dst[i, j] = the sum over k of src0[i, k] * src1[j, k]: unlike in a matrix product, k counts rows. A thread takes 8
// neighbours i and 4 neighbours j.
#include "formats/formats.hlsli"
#include "out_prod_args.h"

RWByteAddressBuffer src0 : register(u0);
RWByteAddressBuffer src1 : register(u1);
RWByteAddressBuffer dst  : register(u2);

cbuffer args_buffer : register(b0) {
    out_prod_args a;
};

[numthreads(64, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint n = linear_group(group) * 64 + thread;
    if (n >= a.count) {
        return;
    }
    const uint4 c = coordinates(n, uint4(a.chunks, a.fours, a.dst.ne.zw)); // chunk, four, batch
    const uint  i = c.x * 8;
    const uint  j = c.y * 4;

    const uint  from0 = a.src0.offset + (c.z / a.ratio_z) * a.src0.nb.z + (c.w / a.ratio_w) * a.src0.nb.w;
    const uint  batch = a.src1.offset + c.z * a.src1.nb.z + c.w * a.src1.nb.w;
    const uint4 from1 = batch + min(j + uint4(0, 1, 2, 3), a.dst.ne.y - 1) * a.src1.nb.x;
    const uint  count = min(a.dst.ne.x - i, 8u);

    uint   m;
    float4 sums[8];
    [unroll] for (m = 0; m < 8; ++m) {
        sums[m] = 0.0f;
    }
    [loop] for (uint k = 0; k < a.src0.ne.y; ++k) {
        const uint   row = from0 + k * a.src0.nb.y;
        const float4 y   = float4(load_f32(src1, from1.x + k * a.src1.nb.y), load_f32(src1, from1.y + k * a.src1.nb.y),
                                  load_f32(src1, from1.z + k * a.src1.nb.y), load_f32(src1, from1.w + k * a.src1.nb.y));
        float4 lo = 0.0f;
        float4 hi = 0.0f;
        if (count == 8) {
            CONCAT(row_load8_, SRC0)(src0, row, i, lo, hi);
        } else if (CONCAT(SRC0, _block) == 1) {
            [unroll] for (m = 0; m < 4; ++m) {
                if (m < count) {
                    lo[m] = CONCAT(row_load_, SRC0)(src0, row, i + m);
                }
                if (m + 4 < count) {
                    hi[m] = CONCAT(row_load_, SRC0)(src0, row, i + 4 + m);
                }
            }
        }
        [unroll] for (m = 0; m < 4; ++m) {
            sums[m]     += lo[m] * y;
            sums[m + 4] += hi[m] * y;
        }
    }

    const uint to = a.dst.offset + i * 4 + j * a.dst.nb.y + c.z * a.dst.nb.z + c.w * a.dst.nb.w;
    [unroll] for (uint o = 0; o < 4; ++o) {
        if (j + o < a.dst.ne.y) {
            if (count == 8) {
                dst.Store4(to + o * a.dst.nb.y, asuint(float4(sums[0][o], sums[1][o], sums[2][o], sums[3][o])));
                dst.Store4(to + o * a.dst.nb.y + 16, asuint(float4(sums[4][o], sums[5][o], sums[6][o], sums[7][o])));
            } else {
                [unroll] for (m = 0; m < 7; ++m) {
                    if (m < count) {
                        dst.Store(to + o * a.dst.nb.y + m * 4, asuint(sums[m][o]));
                    }
                }
            }
        }
    }
}
