// Gradients of ops that work on whole rows. A group has a row.
//   OP  rms_norm: dx = (dz - x * sum(x dz) / (sum(x x) + eps n)) / sqrt(mean(x x) + eps)
//       soft_max: dx = x * (dz - sum(x dz)) * scale, x being the result

#define GROUP_SIZE 128

#include "row_back_args.h"
#include "group_reduce.hlsli"

RWByteAddressBuffer gradient : register(u0);
RWByteAddressBuffer src      : register(u1);
RWByteAddressBuffer dst      : register(u2);

cbuffer args_buffer : register(b0) {
    row_back_args a;
};

struct row_sums {
    float xx;
    float xdz;
};

float back_rms_norm(float x, float dz, row_sums sums) {
    const float n = float(a.dst.ne.x);
    return (dz - x * (sums.xdz / (sums.xx + a.eps * n))) * (1.0f / sqrt(sums.xx / n + a.eps));
}

float back_soft_max(float x, float dz, row_sums sums) {
    return x * (dz - sums.xdz) * a.scale;
}

// Barriers cost time: no sum for nothing.
static const bool squares_rms_norm = true;
static const bool squares_soft_max = false;

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint  row   = linear_group(group);
    const uint  count = row < a.rows ? a.dst.ne.x : 0; // groups that run over must reach the barriers too
    const uint4 c     = coordinates(row, uint4(1, a.dst.ne.yzw));
    const uint  at_dz = address(a.gradient, c);
    const uint  at_x  = address(a.src, c);
    const uint  at_dx = address(a.dst, c);

    row_sums sums;
    sums.xx  = 0.0f;
    sums.xdz = 0.0f;
    uint k;
    [loop] for (k = thread; k < count; k += GROUP_SIZE) {
        const float x = load_f32(src, at_x + k * a.src.nb.x);
        sums.xx += x * x;
        sums.xdz += x * load_f32(gradient, at_dz + k * a.gradient.nb.x);
    }
    if (CONCAT(squares_, OP)) {
        sums.xx = group_sum(sums.xx, thread);
    }
    sums.xdz = group_sum(sums.xdz, thread);

    [loop] for (k = thread; k < count; k += GROUP_SIZE) {
        const float x  = load_f32(src, at_x + k * a.src.nb.x);
        const float dz = load_f32(gradient, at_dz + k * a.gradient.nb.x);
        store_f32(dst, at_dx + k * a.dst.nb.x, CONCAT(back_, OP)(x, dz, sums));
    }
}
