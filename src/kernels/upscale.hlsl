// Resamples the first two dimensions; the others repeat or skip whole planes. A thread has an element of dst.
//   MODE  nearest, bilinear, antialias (bilinear over all elements that shrink into one), bicubic

#define GROUP_SIZE 128

#include "upscale_args.h"
#include "common.hlsli"
#include "division.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    upscale_args a;
};

// Whole quotients make the choice of the element: here the last bit counts.
uint nearest(uint i, float scale, uint ne) {
    return min(uint(divide_rounded(float(i), scale)), ne - 1u);
}

float fetch(uint plane, int2 at) {
    const uint2 inside = uint2(clamp(at, 0, int2(a.src.ne.xy) - 1));
    return load_f32(src, plane + inside.x * a.src.nb.x + inside.y * a.src.nb.y);
}

// Where the element's center lies in the source.
float2 source_of(uint2 c) {
    return (float2(c) + a.center) / a.scale.xy;
}

float sample_nearest(uint plane, uint2 c) {
    return fetch(plane, int2(nearest(c.x, a.scale.x, a.src.ne.x), nearest(c.y, a.scale.y, a.src.ne.y)));
}

float sample_bilinear(uint plane, uint2 c) {
    const float2 at    = source_of(c) - a.center;
    const int2   first = clamp(int2(floor(at)), 0, int2(a.src.ne.xy) - 1);
    const float2 t     = saturate(at - float2(first));
    const float  low   = fetch(plane, first) * (1.0f - t.x) + fetch(plane, first + int2(1, 0)) * t.x;
    const float  high  = fetch(plane, first + int2(0, 1)) * (1.0f - t.x) + fetch(plane, first + int2(1, 1)) * t.x;
    return low * (1.0f - t.y) + high * t.y;
}

float sample_antialias(uint plane, uint2 c) {
    const float2 at      = source_of(c);
    const float2 support = max(1.0f, 1.0f / a.scale.xy);
    const int2   first   = max(int2(at - support + a.center), 0);
    const int2   end     = min(int2(at + support + a.center), int2(a.src.ne.xy));

    float sum    = 0.0f;
    float weight = 0.0f;
    [loop] for (int y = first.y; y < end.y; ++y) {
        [loop] for (int x = first.x; x < end.x; ++x) {
            const float2 w = max(1.0f - abs(float2(x, y) - at + a.center) / support, 0.0f);
            sum += fetch(plane, int2(x, y)) * (w.x * w.y);
            weight += w.x * w.y;
        }
    }
    return weight > 0.0f ? sum / weight : sum;
}

// The weights of four neighbours at a point t behind the second one: Keys' kernel with a slope of -0.75.
float4 cubic_weights(float t) {
    const float2 near = float2(t, 1.0f - t);
    const float2 far  = near + 1.0f;
    const float2 inner = (1.25f * near - 2.25f) * near * near + 1.0f;
    const float2 outer = ((-0.75f * far + 3.75f) * far - 6.0f) * far + 3.0f;
    return float4(outer.x, inner.x, inner.y, outer.y);
}

float sample_bicubic(uint plane, uint2 c) {
    const float2 at    = source_of(c) - a.center;
    const int2   first = int2(floor(at));
    const float4 along = cubic_weights(at.x - float(first.x));
    const float4 down  = cubic_weights(at.y - float(first.y));

    float sum = 0.0f;
    [unroll] for (int y = 0; y < 4; ++y) {
        float row = 0.0f;
        [unroll] for (int x = 0; x < 4; ++x) {
            row += along[x] * fetch(plane, first + int2(x, y) - 1);
        }
        sum += down[y] * row;
    }
    return sum;
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint index = linear_group(group) * GROUP_SIZE + thread;
    if (index >= a.n) {
        return;
    }
    const uint4 c     = coordinates(index, a.dst.ne);
    const uint  plane = a.src.offset + nearest(c.z, a.scale.z, a.src.ne.z) * a.src.nb.z + nearest(c.w, a.scale.w, a.src.ne.w) * a.src.nb.w;
    store_f32(dst, address(a.dst, c), CONCAT(sample_, MODE)(plane, c.xy));
}
