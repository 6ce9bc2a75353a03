// The gradient of SOFT_MAX: dx = y * (dy - sum(y dy)) * scale. A group has a row.

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
    const uint  dy    = address(a.gradient, c);
    const uint  y     = address(a.src, c);
    const uint  dx    = address(a.dst, c);

    float sum = 0.0f;
    uint  k;
    [loop] for (k = thread; k < count; k += GROUP_SIZE) {
        sum += load_f32(src, y + k * a.src.nb.x) * load_f32(gradient, dy + k * a.gradient.nb.x);
    }
    sum = group_sum(sum, thread);

    [loop] for (k = thread; k < count; k += GROUP_SIZE) {
        const float v = load_f32(gradient, dy + k * a.gradient.nb.x) - sum;
        store_f32(dst, dx + k * a.dst.nb.x, v * load_f32(src, y + k * a.src.nb.x) * a.scale);
    }
}
