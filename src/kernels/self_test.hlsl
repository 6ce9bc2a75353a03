// Run on a device before it is offered: touches what all kernels rely on (loads and stores through root views, integer and
// float arithmetic, groupshared memory with barriers, 16-bit conversions) and leaves one value a thread for the host to check.
#define GROUP_SIZE 64
#include "group_reduce.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    uint  offset;  // bytes into both buffers
    float scale;
};

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID) {
    const uint  i   = linear_group(group) * GROUP_SIZE + thread.x;
    const uint  v   = src.Load(offset + i * 4);
    const float sum = group_sum(float(v), thread.x);   // exact: small integers
    const float top = group_max(float(v), thread.x);
    const float h   = f16_to_f32(f32_to_f16(float(v) * scale));
    dst.Store(offset + i * 4, asuint(sum + top * 0.5f + h + float((v * 2654435761u) >> 24)));
}
