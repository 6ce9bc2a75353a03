// The gradient of RMS_NORM: dx = (dz - x * sum(x dz) / (sum(x x) + eps n)) / sqrt(mean(x x) + eps). A group has a row.

#define GROUP_SIZE 128

#include "row_back_args.h"
#include "group_reduce.hlsli"

RWByteAddressBuffer gradient : register(u0);
RWByteAddressBuffer src      : register(u1);
RWByteAddressBuffer dst      : register(u2);

cbuffer args_buffer : register(b0) {
    row_back_args a;
};

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint  row   = linear_group(group);
    const uint  count = row < a.rows ? a.dst.ne.x : 0; // groups that run over must reach the barriers too
    const uint4 c     = coordinates(row, uint4(1, a.dst.ne.yzw));
    const uint  dz    = address(a.gradient, c);
    const uint  x     = address(a.src, c);
    const uint  dx    = address(a.dst, c);

    float sum_xx  = 0.0f;
    float sum_xdz = 0.0f;
    uint  k;
    [loop] for (k = thread; k < count; k += GROUP_SIZE) {
        const float v = load_f32(src, x + k * a.src.nb.x);
        sum_xx += v * v;
        sum_xdz += v * load_f32(gradient, dz + k * a.gradient.nb.x);
    }
    sum_xx  = group_sum(sum_xx, thread);
    sum_xdz = group_sum(sum_xdz, thread);

    const float n     = float(a.dst.ne.x);
    const float along = -sum_xdz / (sum_xx + a.eps * n);
    const float scale = 1.0f / sqrt(sum_xx / n + a.eps);
    [loop] for (k = thread; k < count; k += GROUP_SIZE) {
        const float v = load_f32(gradient, dz + k * a.gradient.nb.x) + load_f32(src, x + k * a.src.nb.x) * along;
        store_f32(dst, dx + k * a.dst.nb.x, v * scale);
    }
}
