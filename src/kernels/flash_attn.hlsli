// What the attention kernels share. Scores are kept finite, so that no difference of infinities makes a NaN: what is
// masked out gets a score far below any start value of a maximum, and its exponential is taken as 0 outright.
#ifndef GGML_DIRECTX_FLASH_ATTN_HLSLI
#define GGML_DIRECTX_FLASH_ATTN_HLSLI

#include "formats/formats.hlsli"
#include "flash_attn_args.h"
#include "math.hlsli"

cbuffer args_buffer : register(b0) {
    flash_attn_args a;
};

RWByteAddressBuffer q_data     : register(u0);
RWByteAddressBuffer k_data     : register(u1);
RWByteAddressBuffer v_data     : register(u2);
RWByteAddressBuffer mask_data  : register(u3);
RWByteAddressBuffer sinks_data : register(u4);
RWByteAddressBuffer out_data   : register(u5);

static const float masked = -3.0e38f;
static const float lowest = -1.0e30f;

// Elements k .. k+7 of a row of K or V.
#ifdef ANY_TYPE
// The types as ggml numbers them. The choice is the same for the whole dispatch.
void load8(RWByteAddressBuffer b, uint type, uint row, uint k, out float4 lo, out float4 hi) {
    lo = 0;
    hi = 0;
    [branch] switch (type) {
        case 0:  row_load8_f32 (b, row, k, lo, hi); break;
        case 1:  row_load8_f16 (b, row, k, lo, hi); break;
        case 2:  row_load8_q4_0(b, row, k, lo, hi); break;
        case 3:  row_load8_q4_1(b, row, k, lo, hi); break;
        case 6:  row_load8_q5_0(b, row, k, lo, hi); break;
        case 7:  row_load8_q5_1(b, row, k, lo, hi); break;
        case 8:  row_load8_q8_0(b, row, k, lo, hi); break;
        case 20: row_load8_iq4_nl(b, row, k, lo, hi); break;
        case 30: row_load8_bf16(b, row, k, lo, hi); break;
        case 41: row_load8_q1_0(b, row, k, lo, hi); break;
        case 42: row_load8_q2_0(b, row, k, lo, hi); break;
        default: break;
    }
}
#else
void load8(RWByteAddressBuffer b, uint type, uint row, uint k, out float4 lo, out float4 hi) {
    CONCAT(row_load8_, KV)(b, row, k, lo, hi);
}
#endif

struct row_place {
    uint query;
    uint head;
};

row_place place_row(uint row, uint kv_head) {
    row_place p;
    p.query = row / a.heads;
    p.head  = kv_head * a.heads + row % a.heads;
    return p;
}

uint mask_row(row_place p, uint batch) {
    return a.mask.offset + p.query * a.mask.nb.y + (p.head % a.mask.ne.z) * a.mask.nb.z + (batch % a.mask.ne.w) * a.mask.nb.w;
}

uint q_row(row_place p, uint batch) {
    return a.q.offset + p.query * a.q.nb.y + p.head * a.q.nb.z + batch * a.q.nb.w;
}

float alibi_slope(uint head) {
    const float power = head < a.n_head_log2 ? float(head + 1) : float(head - a.n_head_log2) + 0.5f;
    return exp2(-a.alibi * power);
}

// Four mask values, from their addresses.
float4 mask_values(uint4 at, float4 slope) {
    const uint4 words  = uint4(mask_data.Load(at.x & ~3u), mask_data.Load(at.y & ~3u), mask_data.Load(at.z & ~3u), mask_data.Load(at.w & ~3u));
    const uint4 halves = (words >> ((at & 2u) * 8u)) & 0xffffu;
    return choose(halves == 0xfc00u, masked, slope * f16tof32(halves));
}

float4 scores(float4 product, float4 mask) {
    float4 s = product * a.scale;
    if (a.softcap != 0.0f) {
        s = a.softcap * (1.0f - 2.0f / (exp(2.0f * clamp(s, -30.0f, 30.0f)) + 1.0f));
    }
    return choose(mask == masked, masked, s + mask);
}

float4 weights_of(float4 s, float4 maximum) {
    return choose(s == masked, 0.0f, exp(s - maximum));
}

// What the sum of values is to be multiplied by. The sink is one more score, without a value.
float final_factor(float maximum, float sum, uint head) {
    float factor = 1.0f;
    if (a.has_sinks) {
        const float sink = asfloat(sinks_data.Load(a.sinks.offset + head * 4));
        const float m    = max(maximum, sink);
        factor = exp(maximum - m);
        sum    = sum * factor + exp(sink - m);
    }
    return sum == 0.0f ? 0.0f : factor / sum;
}

// The destination's row; or, where the columns are split, a place for this split's sum of values, without the division.
// Partial results are these rows for every split, then (maximum, sum) for every split and row.
uint out_row(row_place p, uint batch, uint split) {
    const uint row = (batch * a.dst.ne.z + p.query) * a.dst.ne.y + p.head;
    return a.splits > 1 ? a.partial + (split * a.out_rows + row) * a.dst.ne.x * 4 :
                          a.dst.offset + p.head * a.dst.nb.y + p.query * a.dst.nb.z + batch * a.dst.nb.w;
}

// Returns the factor for the row that this group writes.
float finish_row(row_place p, uint batch, uint split, float maximum, float sum, bool writer) {
    float factor = 1.0f;
    if (a.splits == 1) {
        factor = final_factor(maximum, sum, p.head);
    } else if (writer) {
        const uint row = (batch * a.dst.ne.z + p.query) * a.dst.ne.y + p.head;
        out_data.Store2(a.partial + a.splits * a.out_rows * a.dst.ne.x * 4 + (split * a.out_rows + row) * 8, asuint(float2(maximum, sum)));
    }
    return factor;
}

#endif
