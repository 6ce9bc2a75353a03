// Rows written to the places that indices name, and plain copies into quantised types.
// SRC: f32, f16, bf16. DST: any type that can be encoded. KIND: 0 if DST is f32, f16 or bf16, 1 if its encoder
// takes the elements at once, 2 if one by one (formats.hlsli).
#define ENCODE
#include "elements.hlsli"
#include "formats/formats.hlsli"
#include "rows_args.h"

RWByteAddressBuffer src  : register(u0);
RWByteAddressBuffer rows : register(u1);
RWByteAddressBuffer dst  : register(u2);

cbuffer args_buffer : register(b0) {
    set_rows_args a;
};

float source_element(block_source s, uint j) {
    return CONCAT(load_, SRC)(src, a.runs ? s.from + j * CONCAT(SRC, _bytes) : flat_address(a.src, s.first + j));
}

// Where the row of the source goes, by its coordinates; false for an index outside of the destination. The low word of
// a 64-bit index is enough: no row number is larger.
bool find_row(uint3 c, out uint to) {
    const uint place = a.rows.offset + c.x * a.rows.nb.x + (c.y % a.rows.ne.y) * a.rows.nb.y + (c.z % a.rows.ne.z) * a.rows.nb.z;
    const uint index = rows.Load(place) - a.first;
    to = a.dst.offset + index * a.dst.nb.y + c.y * a.dst.nb.z + c.z * a.dst.nb.w;
    return index < a.dst.ne.y;
}

#if KIND == 0

void piece(uint i) {
    const uint  row = i / a.per_row;
    const uint  k   = (i - row * a.per_row) * a.width;
    const uint3 c   = coordinates(row, uint4(a.src.ne.yzw, 1)).xyz;
    uint to;
    if (!find_row(c, to)) {
        return;
    }
    const uint from = a.src.offset + c.x * a.src.nb.y + c.y * a.src.nb.z + c.z * a.src.nb.w + k * CONCAT(SRC, _bytes);
    to += k * CONCAT(DST, _bytes);
    if (a.width == 4) {
        CONCAT(store4_, DST)(dst, to, CONCAT(load4_, SRC)(src, from));
    } else if (a.width == 2) {
        CONCAT(store2_, DST)(dst, to, float2(CONCAT(load_, SRC)(src, from), CONCAT(load_, SRC)(src, from + CONCAT(SRC, _bytes))));
    } else {
        CONCAT(store_, DST)(dst, to, CONCAT(load_, SRC)(src, from));
    }
}

#else

void piece(uint i) {
    uint from;
    uint to;
    if (a.indexed) {
        const uint  row = i / a.per_row;
        const uint  k   = i - row * a.per_row;
        const uint3 c   = coordinates(row, uint4(a.src.ne.yzw, 1)).xyz;
        if (!find_row(c, to)) {
            return;
        }
        from = a.src.offset + c.x * a.src.nb.y + c.y * a.src.nb.z + c.z * a.src.nb.w + k * CONCAT(DST, _block) * CONCAT(SRC, _bytes);
        to += k * CONCAT(DST, _bytes);
    } else {
        from = flat_address(a.src, i * CONCAT(DST, _block));
        to   = flat_address(a.dst, i);
    }
#if KIND == 2
    block_source s;
    s.from  = from;
    s.first = i * CONCAT(DST, _block);
    CONCAT(encode_, DST)(dst, to, s);
#else
    float4 v[8];
    if (a.runs) {
        [unroll] for (uint j = 0; j < 4; ++j) {
            CONCAT(row_load8_, SRC)(src, from, j * 8, v[j * 2], v[j * 2 + 1]);
        }
    } else {
        float4 gathered[8];
        [loop] for (uint j = 0; j < 8; ++j) {
            const uint e = i * CONCAT(DST, _block) + j * 4;
            gathered[j] = float4(CONCAT(load_, SRC)(src, flat_address(a.src, e)), CONCAT(load_, SRC)(src, flat_address(a.src, e + 1)),
                                 CONCAT(load_, SRC)(src, flat_address(a.src, e + 2)), CONCAT(load_, SRC)(src, flat_address(a.src, e + 3)));
        }
        [unroll] for (uint n = 0; n < 8; ++n) {
            v[n] = gathered[n];
        }
    }
    CONCAT(encode_, DST)(dst, to, v);
#endif
}

#endif

[numthreads(64, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint i = linear_group(group) * 64 + thread;
    if (i < a.count) {
        piece(i);
    }
}
