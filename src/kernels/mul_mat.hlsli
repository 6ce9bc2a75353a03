// What the matrix products share: their bindings, and where a batch starts.
#ifndef GGML_DIRECTX_MUL_MAT_HLSLI
#define GGML_DIRECTX_MUL_MAT_HLSLI

#include "formats/formats.hlsli"
#include "mul_mat_args.h"

cbuffer args_buffer : register(b0) {
    mul_mat_args a;
};

RWByteAddressBuffer src0 : register(u0);
RWByteAddressBuffer src1 : register(u1);
RWByteAddressBuffer dst  : register(u2);

RWByteAddressBuffer ids  : register(u3);

struct place {
    uint src0;   // of the matrix
    uint src1;   // of the batch
    uint dst;
    uint first;  // the group's first column: its number, or where its pair is
    uint count;  // columns, at most `width`
};

place place_group(uint3 group, uint width) {
    const uint batch = a.first_batch + group.z;
    const uint z     = batch % a.dst.ne.z;
    const uint w     = batch / a.dst.ne.z;

    place p;
    p.src0  = a.src0.offset + (z / a.ratio_z) * a.src0.nb.z + (w / a.ratio_w) * a.src0.nb.w;
    p.src1  = a.src1.offset + (z % a.src1.ne.z) * a.src1.nb.z + w * a.src1.nb.w;
    p.dst   = a.dst.offset + z * a.dst.nb.z + w * a.dst.nb.w;
    p.first = a.first_column + group.y * width;
    p.count = min(a.end_column - p.first, width);
    if (a.mode != MUL_MAT_PLAIN) {
        uint expert = 0;
        if (a.mode == MUL_MAT_INDEXED) {
            expert = ids.Load(a.ids.offset + z * a.ids.nb.x + w * a.ids.nb.y);
        } else {
            const uint3 tile = ids.Load3(a.ids.offset + a.ids.nb.x + (a.first_column + group.y) * 16);
            expert  = tile.x;
            p.first = tile.y;
            p.count = tile.z;
        }
        p.src0 = a.src0.offset + min(expert, a.src0.ne.z - 1) * a.src0.nb.z; // no foreign memory, whatever the index
    }
    return p;
}

// The addresses of the group's column c in src1 (x) and dst (y). What is past the last column repeats it.
uint2 column_at(place p, uint c) {
    const uint column = p.first + min(c, max(p.count, 1u) - 1);
    if (a.mode != MUL_MAT_GROUPED) {
        return uint2(p.src1, p.dst) + column * uint2(a.src1.nb.y, a.dst.nb.y);
    }
    const uint pair = ids.Load(a.ids.offset + column * 4);
    const uint slot = pair % a.dst.ne.z;
    const uint w    = pair / a.dst.ne.z;
    return uint2(a.src1.offset + (slot % a.src1.ne.z) * a.src1.nb.z + w * a.src1.nb.w, a.dst.offset + slot * a.dst.nb.z + w * a.dst.nb.w);
}

// Elements k .. k+7 of four rows: x[i] holds element k + i of each. Vectors of rows times scalars of columns make the
// fewest instructions, and fxc slow if it has to gather the vectors more than once.
#define LOAD_FOUR(name, type)                                                                   \
    void name(RWByteAddressBuffer b, uint4 rows, uint k, out float4 x[8]) {                     \
        float4 lo[4];                                                                           \
        float4 hi[4];                                                                           \
        [unroll] for (uint r = 0; r < 4; ++r) {                                                 \
            CONCAT(row_load8_, type)(b, rows[r], k, lo[r], hi[r]);                              \
        }                                                                                       \
        [unroll] for (uint i = 0; i < 4; ++i) {                                                 \
            x[i]     = float4(lo[0][i], lo[1][i], lo[2][i], lo[3][i]);                          \
            x[i + 4] = float4(hi[0][i], hi[1][i], hi[2][i], hi[3][i]);                          \
        }                                                                                       \
    }                                                                                           \
    float4 CONCAT(name, _element)(RWByteAddressBuffer b, uint4 rows, uint k) {                  \
        return float4(CONCAT(row_load_, type)(b, rows.x, k), CONCAT(row_load_, type)(b, rows.y, k), \
                      CONCAT(row_load_, type)(b, rows.z, k), CONCAT(row_load_, type)(b, rows.w, k)); \
    }

LOAD_FOUR(load_rows, SRC0)
LOAD_FOUR(load_columns, SRC1)

#endif
