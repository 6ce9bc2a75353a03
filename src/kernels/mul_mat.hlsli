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

struct batch_place {
    uint src0;
    uint src1;
    uint dst;
};

batch_place place_batch(uint batch) {
    const uint z = batch % a.dst.ne.z;
    const uint w = batch / a.dst.ne.z;
    batch_place p;
    p.src0 = a.src0.offset + (z / a.ratio_z) * a.src0.nb.z + (w / a.ratio_w) * a.src0.nb.w;
    p.src1 = a.src1.offset + z * a.src1.nb.z + w * a.src1.nb.w;
    p.dst  = a.dst.offset + z * a.dst.nb.z + w * a.dst.nb.w;
    return p;
}

// Eight elements of a row that may end among them (rows of plain types only): zeros follow the end.
#define ROW_LOAD8_GUARDED(name, type)                                                               \
    void name(RWByteAddressBuffer b, uint row, uint k, uint ne, out float4 lo, out float4 hi) {     \
        lo = 0.0f;                                                                                  \
        hi = 0.0f;                                                                                  \
        if (k + 8 <= ne) {                                                                          \
            CONCAT(row_load8_, type)(b, row, k, lo, hi);                                            \
        } else if (CONCAT(type, _block) == 1) {                                                     \
            [unroll] for (uint i = 0; i < 4; ++i) {                                                 \
                if (k + i < ne) {                                                                   \
                    lo[i] = CONCAT(row_load_, type)(b, row, k + i);                                 \
                }                                                                                   \
                if (k + 4 + i < ne) {                                                               \
                    hi[i] = CONCAT(row_load_, type)(b, row, k + 4 + i);                             \
                }                                                                                   \
            }                                                                                       \
        }                                                                                           \
    }

ROW_LOAD8_GUARDED(load8_src0, SRC0)
ROW_LOAD8_GUARDED(load8_src1, SRC1)

#endif
