// Rotates pairs of channels by angles that grow with the position. A thread takes two pairs, or four channels that are only
// copied, of one or more heads: they share the angle.
//   TYPE  f32, f16
// A thread writes only what it has read, so dst may be src.

#define GROUP_SIZE 64

#include "rope_args.h"
#include "common.hlsli"

RWByteAddressBuffer src       : register(u0);
RWByteAddressBuffer positions : register(u1);
RWByteAddressBuffer factors   : register(u2);
RWByteAddressBuffer dst       : register(u3);

cbuffer args_buffer : register(b0) {
    rope_args a;
};

// The intrinsics are good near zero only. Takes quarter turns off in five parts; all but the last have four bits, so that
// products and differences are exact up to angles of a million.
float2 cos_sin(float x) {
    const float quarter = round(x * 0.636619772f);
    precise float r = x - quarter * 1.5f;
    r = r - quarter * 0.0703125f;
    r = r - quarter * 4.57763671875e-4f;
    r = r - quarter * 2.47955322265625e-5f;
    r = r - quarter * 1.26759079506e-6f;

    const float z = r * r;
    const float s = r + r * z * (-0.16666667f + z * (8.3333333e-3f + z * (-1.9841270e-4f + z * 2.7557319e-6f)));
    const float c = 1.0f + z * (-0.5f + z * (4.1666667e-2f + z * (-1.3888889e-3f + z * (2.4801587e-5f - z * 2.7557319e-7f))));

    const uint   turn   = uint(int(quarter)) & 3u;
    const float2 cs     = (turn & 1u) ? float2(s, c) : float2(c, s);
    return float2((turn == 1 || turn == 2) ? -cs.x : cs.x, turn >= 2 ? -cs.y : cs.y);
}

uint section_of(uint sector) {
    if (a.layout == rope_one_position) {
        return 0;
    }
    if (a.layout == rope_interleaved) {
        const uint s = sector % 3;
        return sector < a.section_end[s] ? s : 3;
    }
    return sector < a.section_start.y ? 0 : sector < a.section_start.z ? 1 : sector < a.section_end.z ? 2 : 3;
}

// Cosine and sine of a pair's angle, scaled.
float2 rotation(uint pair, uint token) {
    const uint sector  = pair % a.turn;
    const uint section = section_of(sector);
    const uint power   = a.section_resets[section] ? sector - a.section_start[section] : pair;

    // ggml multiplies step by step: at large positions its rounding errors are seen, so make the same ones.
    precise float theta = float(asint(positions.Load(a.positions.offset + (token + section * a.src.ne.z) * a.positions.nb.x)));
    [loop] for (uint i = 0; i < power; ++i) {
        theta = theta * a.theta_scale;
    }
    if (a.has_factors) {
        theta = theta / load_f32(factors, a.factors.offset + pair * a.factors.nb.x);
    }

    precise float angle = a.freq_scale * theta;
    if (a.ext_factor != 0.0f) {
        const float mix = (1.0f - saturate((float(pair) - a.ramp_low) / a.ramp_width)) * a.ext_factor;
        angle = angle * (1.0f - mix) + theta * mix;
    }
    return cos_sin(angle) * float2(a.mscale, a.mscale * a.sin_sign);
}

static const uint bytes_f32 = 4;
static const uint bytes_f16 = 2;

void store_pairs_f32(uint4 at, float4 v, bool both) {
    store_f32(dst, at.x, v.x);
    store_f32(dst, at.y, v.y);
    if (both) {
        store_f32(dst, at.z, v.z);
        store_f32(dst, at.w, v.w);
    }
}

// at and v: first and second channel of one pair, then of the other.
void store_pairs_f16(uint4 at, float4 v, bool both) {
    const uint4 h = uint4(f32_to_f16(v.x), f32_to_f16(v.y), f32_to_f16(v.z), f32_to_f16(v.w));
    if (a.packed && a.pair_distance == 1) {
        dst.Store(at.x, h.x | (h.y << 16));
        if (both) {
            dst.Store(at.z, h.z | (h.w << 16));
        }
    } else if (a.packed) {
        dst.Store(at.x, h.x | (h.z << 16));
        dst.Store(at.y, h.y | (h.w << 16));
    } else {
        store_u16(dst, at.x, h.x);
        store_u16(dst, at.y, h.y);
        if (both) {
            store_u16(dst, at.z, h.z);
            store_u16(dst, at.w, h.w);
        }
    }
}

// Two neighbours, or the last channel of an odd row.
void copy_channels_f32(uint to, uint from, bool both) {
    dst.Store(to, src.Load(from));
    if (both) {
        dst.Store(to + 4, src.Load(from + 4));
    }
}
void copy_channels_f16(uint to, uint from, bool both) {
    if (a.packed && both) {
        dst.Store(to, load_u32(src, from));
    } else {
        store_u16(dst, to, load_u16(src, from));
        if (both) {
            store_u16(dst, to + 2, load_u16(src, from + 2));
        }
    }
}

void rotate(uint quad, uint4 c, uint heads) {
    const uint  pair   = quad * 2;
    const bool  both   = pair + 1 < a.pairs;
    const uint  other  = both ? pair + 1 : pair;
    const uint2 first  = a.first + uint2(pair, other) * a.pair_step;
    const uint4 places = uint4(first.x, first.x + a.pair_distance, first.y, first.y + a.pair_distance) * CONCAT(bytes_, TYPE);

    const float2 r0 = rotation(pair, c.z);
    const float2 r1 = rotation(other, c.z);

    uint from = address(a.src, c);
    uint to   = address(a.dst, c);
    [loop] for (uint h = 0; h < heads; ++h) {
        const float4 x = float4(CONCAT(load_, TYPE)(src, from + places.x), CONCAT(load_, TYPE)(src, from + places.y),
                                CONCAT(load_, TYPE)(src, from + places.z), CONCAT(load_, TYPE)(src, from + places.w));
        const float4 y = float4(x.x * r0.x - x.y * r0.y, x.x * r0.y + x.y * r0.x, x.z * r1.x - x.w * r1.y, x.z * r1.y + x.w * r1.x);
        CONCAT(store_pairs_, TYPE)(to + places, y, both);
        from += a.src.nb.y;
        to += a.dst.nb.y;
    }
}

void copy(uint quad, uint4 c, uint heads) {
    const uint count = a.dst.ne.x - a.rotated;
    uint from = address(a.src, c);
    uint to   = address(a.dst, c);
    [loop] for (uint h = 0; h < heads; ++h) {
        [unroll] for (uint k = 0; k < 4; k += 2) {
            const uint n       = quad * 4 + k;
            const uint channel = (n < a.first ? n : n + a.rotated) * CONCAT(bytes_, TYPE);
            if (n < count) {
                CONCAT(copy_channels_, TYPE)(to + channel, from + channel, n + 1 < count);
            }
        }
        from += a.src.nb.y;
        to += a.dst.nb.y;
    }
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint index = linear_group(group) * GROUP_SIZE + thread;
    if (index >= a.total_quads) {
        return;
    }
    uint4 c = coordinates(index, uint4(a.quads, a.head_blocks, a.dst.ne.zw));
    const uint quad = c.x;
    c.x = 0;
    c.y *= a.heads;
    const uint heads = min(a.heads, a.dst.ne.y - c.y);

    if (quad < a.rotated_quads) {
        rotate(quad, c, heads);
    } else {
        copy(quad - a.rotated_quads, c, heads);
    }
}
