// dst = soft_max(src * scale + mask * slope of the head), row by row; a group of threads has a row.
//   MASK        none, f32, f16
//   GROUP_SIZE  threads
// A thread comes back to its own elements only, so dst may be src.

#include "soft_max_args.h"
#include "group_reduce.hlsli"
#include "math.hlsli"

RWByteAddressBuffer src   : register(u0);
RWByteAddressBuffer mask  : register(u1);
RWByteAddressBuffer sinks : register(u2);
RWByteAddressBuffer dst   : register(u3);

cbuffer args_buffer : register(b0) {
    soft_max_args a;
};

// Elements that a thread keeps in registers; only longer rows go through dst.
static const uint held_elements = 4;

static const float lowest = asfloat(0xff800000u); // -inf

// 2^x for x <= 0. The slope multiplies large mask values: the intrinsic's last bits are not good enough everywhere.
float exp2_accurate(float x) {
    const float whole = max(round(x), -126.0f);
    const float f     = x - whole;
    float p = 1.54035304e-4f;
    p = p * f + 1.33335581e-3f;
    p = p * f + 9.61812911e-3f;
    p = p * f + 5.55041087e-2f;
    p = p * f + 2.40226507e-1f;
    p = p * f + 6.93147181e-1f;
    p = p * f + 1.0f;
    return p * asfloat(uint(int(whole) + 127) << 23);
}

float slope(uint head) {
    if (a.alibi == 0.0f) {
        return 1.0f;
    }
    return exp2_accurate(-a.alibi * (head < a.n_head_log2 ? float(head + 1) : 0.5f * float(2 * (head - a.n_head_log2) + 1)));
}

float masked_none(float v, uint at, float s) {
    return v;
}
float masked_f32(float v, uint at, float s) {
    return v + s * load_f32(mask, at);
}
float masked_f16(float v, uint at, float s) {
    return v + s * load_f16(mask, at);
}
static const uint step_none = 0;
static const uint step_f32  = 4;
static const uint step_f16  = 2;

float fetch(uint from, uint mask_from, uint k, float s) {
    return CONCAT(masked_, MASK)(load_f32(src, from + k * 4) * a.scale, mask_from + k * CONCAT(step_, MASK), s);
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint  row   = linear_group(group);
    // Groups that run over must reach the barriers too.
    const uint  count = row < a.rows ? a.src.ne.x : 0;
    const uint4 c     = coordinates(row, uint4(1, a.src.ne.yzw));
    const uint  from  = address(a.src, c);
    const uint  to    = address(a.dst, c);
    const uint  rest  = thread + held_elements * GROUP_SIZE;

    const uint  mask_from = a.mask.offset + c.y * a.mask.nb.y + (c.z % a.mask.ne.z) * a.mask.nb.z + (c.w % a.mask.ne.w) * a.mask.nb.w;
    const float s         = slope(c.z);

    float held[held_elements];
    float top = lowest;
    uint  i;
    uint  k;
    [unroll] for (i = 0; i < held_elements; ++i) {
        held[i] = lowest;
        k       = thread + i * GROUP_SIZE;
        if (k < count) {
            held[i] = fetch(from, mask_from, k, s);
        }
        top = max(top, held[i]);
    }
    [loop] for (k = rest; k < count; k += GROUP_SIZE) {
        top = max(top, fetch(from, mask_from, k, s));
    }
    top = group_max(top, thread);

    float sink = lowest;
    if (a.has_sinks && row < a.rows) {
        sink = load_f32(sinks, a.sinks.offset + c.z * a.sinks.nb.x);
        top  = max(top, sink);
    }

    float sum = 0.0f;
    [unroll] for (i = 0; i < held_elements; ++i) {
        held[i] = exp_below(held[i], top);
        sum += held[i];
    }
    [loop] for (k = rest; k < count; k += GROUP_SIZE) {
        const float y = exp_below(fetch(from, mask_from, k, s), top);
        store_f32(dst, to + k * 4, y);
        sum += y;
    }
    sum = group_sum(sum, thread);
    if (a.has_sinks) {
        sum += exp_below(sink, top);
    }

    // A row that is masked from end to end has no largest element.
    const bool  blank = top == lowest;
    const float scale = blank ? 1.0f : 1.0f / sum;
    [unroll] for (i = 0; i < held_elements; ++i) {
        k = thread + i * GROUP_SIZE;
        if (k < count) {
            store_f32(dst, to + k * 4, blank ? a.blank : held[i] * scale);
        }
    }
    [loop] for (k = rest; k < count; k += GROUP_SIZE) {
        store_f32(dst, to + k * 4, blank ? a.blank : load_f32(dst, to + k * 4) * scale);
    }
}
