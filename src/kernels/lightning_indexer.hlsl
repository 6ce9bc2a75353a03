// How much each token wants each column of a cache: its heads' products with the column's key, where positive, weighted and
// added. K: the type of the keys.
// A group takes 32 columns, whose keys it decodes once. A thread takes four columns and four heads at a time, so that eight
// loads make 64 products.

#include "lightning_indexer_args.h"
#include "formats/formats.hlsli"

RWByteAddressBuffer q_data    : register(u0);
RWByteAddressBuffer k_data    : register(u1);
RWByteAddressBuffer w_data    : register(u2);
RWByteAddressBuffer mask_data : register(u3);
RWByteAddressBuffer dst       : register(u4);

cbuffer args_buffer : register(b0) {
    lightning_indexer_args a;
};

static const uint group_size = 128;
static const uint columns    = 32;
static const uint quarters   = columns / 4;               // threads side by side
static const uint lanes      = group_size / quarters;     // tokens times parts of the heads
static const uint tile_width = 128;                       // elements of the keys at a time

groupshared float4 tile[tile_width / 4 * columns];        // by quads of elements, then columns
groupshared float4 partial[group_size];

float4 place_in_four(uint i, float v) {
    return float4(uint4(0, 1, 2, 3) == (i & 3u)) * v;
}

// Both give zeros past the end of a row.
void load_key(uint row, uint first, out float4 lo, out float4 hi) {
    lo = 0.0f;
    hi = 0.0f;
    if (first + 8 <= a.k.ne.x) {
        CONCAT(row_load8_, K)(k_data, row, first, lo, hi);
    } else {
        [loop] for (uint i = first; i < a.k.ne.x; ++i) {
            const float4 v = place_in_four(i, CONCAT(row_load_, K)(k_data, row, i));
            if (i < first + 4) {
                lo += v;
            } else {
                hi += v;
            }
        }
    }
}

float4 load_query(uint row, uint first) {
    if (first + 4 <= a.q.ne.x) {
        return asfloat(q_data.Load4(row + first * 4));
    }
    float4 v = 0.0f;
    [loop] for (uint i = first; i < a.q.ne.x; ++i) {
        v += place_in_four(i, load_f32(q_data, row + i * 4));
    }
    return v;
}

[numthreads(group_size, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint stream  = group.z;
    const uint first   = group.x * columns;
    const uint quarter = thread % quarters;
    const uint lane    = thread / quarters;
    const uint parts   = lanes / a.tokens; // of the heads
    const uint part    = lane / a.tokens;
    const uint token   = group.y * a.tokens + lane % a.tokens;
    const uint heads   = a.q.ne.y;

    // Tokens and heads past the last one repeat it: the former are not stored, the latter weigh nothing.
    const uint at    = min(token, a.q.ne.z - 1);
    const uint q_row = a.q.offset + at * a.q.nb.z + stream * a.q.nb.w;
    const uint w_row = a.weights.offset + at * a.weights.nb.y + stream * a.weights.nb.w;

    const uint tiles  = (a.k.ne.x + tile_width - 1) / tile_width;
    const uint rounds = (heads + parts * 4 - 1) / (parts * 4);

    uint j;
    float4 scores = 0.0f; // of columns quarter, quarter + 8 ...
    [loop] for (uint round = 0; round < rounds; ++round) {
        const uint4 head  = (round * parts + part) * 4 + uint4(0, 1, 2, 3);
        const uint4 known = min(head, heads - 1);
        const uint4 q_at  = q_row + known * a.q.nb.y;

        float4 products[4]; // of a column with four heads
        [unroll] for (j = 0; j < 4; ++j) {
            products[j] = 0.0f;
        }
        [loop] for (uint t = 0; t < tiles; ++t) {
            const uint begin = t * tile_width;
            const uint end   = min(begin + tile_width, a.k.ne.x);
            if (round == 0 || tiles > 1) { // the same for the whole group
                GroupMemoryBarrierWithGroupSync();
                [loop] for (uint i = thread; i < tile_width / 8 * columns; i += group_size) {
                    const uint eight  = i % (tile_width / 8);
                    const uint column = i / (tile_width / 8);
                    float4 lo;
                    float4 hi;
                    load_key(a.k.offset + min(first + column, a.k.ne.z - 1) * a.k.nb.z + stream * a.k.nb.w, begin + eight * 8, lo, hi);
                    tile[eight * 2 * columns + column]       = lo;
                    tile[(eight * 2 + 1) * columns + column] = hi;
                }
                GroupMemoryBarrierWithGroupSync();
            }
            [loop] for (uint e = begin; e < end; e += 4) {
                const float4 q0 = load_query(q_at.x, e);
                const float4 q1 = load_query(q_at.y, e);
                const float4 q2 = load_query(q_at.z, e);
                const float4 q3 = load_query(q_at.w, e);
                const uint from = (e - begin) / 4 * columns + quarter;
                [unroll] for (j = 0; j < 4; ++j) {
                    const float4 k = tile[from + j * quarters];
                    products[j] += float4(dot(k, q0), dot(k, q1), dot(k, q2), dot(k, q3));
                }
            }
        }
        const uint4 w_at = w_row + known * a.weights.nb.x;
        float4 w = asfloat(uint4(w_data.Load(w_at.x), w_data.Load(w_at.y), w_data.Load(w_at.z), w_data.Load(w_at.w)));
        [unroll] for (j = 0; j < 4; ++j) {
            w[j] = head[j] < heads ? w[j] : 0.0f;
        }
        [unroll] for (j = 0; j < 4; ++j) {
            scores[j] += dot(max(products[j], 0.0f), w);
        }
    }

    partial[thread] = scores;
    GroupMemoryBarrierWithGroupSync();
    if (part != 0 || token >= a.q.ne.z) {
        return;
    }
    [loop] for (uint p = 1; p < parts; ++p) {
        scores += partial[thread + p * a.tokens * quarters];
    }
    [unroll] for (j = 0; j < 4; ++j) {
        const uint column = first + quarter + j * quarters;
        if (column < a.dst.ne.x) {
            const uint half_ = load_u16(mask_data, a.mask.offset + column * a.mask.nb.x + token * a.mask.nb.y + stream % a.mask.ne.w * a.mask.nb.w);
            const float score = half_ == 0xfc00u ? asfloat(0xff800000u) : scores[j] + f16_to_f32(half_);
            store_f32(dst, a.dst.offset + column * a.dst.nb.x + token * a.dst.nb.y + stream * a.dst.nb.w, score);
        }
    }
}
