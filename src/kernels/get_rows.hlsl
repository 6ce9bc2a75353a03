// Rows picked by index. SRC: any type, to f32; or raw, which moves words as they are (f32 and i32).
#include "formats/formats.hlsli"
#include "rows_args.h"

RWByteAddressBuffer src  : register(u0);
RWByteAddressBuffer rows : register(u1);
RWByteAddressBuffer dst  : register(u2);

cbuffer args_buffer : register(b0) {
    get_rows_args a;
};

void row_load8_raw(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    row_load8_f32(b, row, k, lo, hi);
}
float row_load_raw(RWByteAddressBuffer b, uint row, uint k) {
    return row_load_f32(b, row, k);
}

[numthreads(128, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint i   = linear_group(group) * 128 + thread;
    const uint row = i / a.chunks;
    if (row >= a.n_rows) {
        return;
    }
    const uint  k = (i - row * a.chunks) * 8;
    const uint4 c = coordinates(row, uint4(a.dst.ne.yzw, 1)); // of the row: its index, and the batch

    const uint to    = a.dst.offset + k * 4 + c.x * a.dst.nb.y + c.y * a.dst.nb.z + c.z * a.dst.nb.w;
    const uint index = rows.Load(a.rows.offset + c.x * a.rows.nb.x + c.y * a.rows.nb.y + c.z * a.rows.nb.z) - a.first;

    const bool found = index < a.src.ne.y; // root views have no bounds check: a wrong index must not read foreign memory
    if (!found && a.first != 0) {
        return;
    }
    const uint from  = a.src.offset + index * a.src.nb.y + c.y * a.src.nb.z + c.z * a.src.nb.w;

    if (k + 8 <= a.dst.ne.x) {
        float4 lo = 0.0f;
        float4 hi = 0.0f;
        if (found) {
            CONCAT(row_load8_, SRC)(src, from, k, lo, hi);
        }
        dst.Store4(to, asuint(lo));
        dst.Store4(to + 16, asuint(hi));
    } else {
        [loop] for (uint j = k; j < a.dst.ne.x; ++j) {
            float v = 0.0f;
            if (found) {
                v = CONCAT(row_load_, SRC)(src, from, j);
            }
            dst.Store(to + (j - k) * 4, asuint(v));
        }
    }
}
