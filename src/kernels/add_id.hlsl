// dst = src + the row that an id picks for each of src's rows: the biases of chosen experts.
//   LAYOUT  rows: contiguous rows at multiples of 4 bytes, a multiple of 4 elements long; strided: anything

#define GROUP_SIZE 128

#include "add_id_args.h"
#include "quad.hlsli"

RWByteAddressBuffer src  : register(u0);
RWByteAddressBuffer rows : register(u1);
RWByteAddressBuffer ids  : register(u2);
RWByteAddressBuffer dst  : register(u3);

cbuffer args_buffer : register(b0) {
    add_id_args a;
};

uint row_address(uint4 c) {
    const uint id = ids.Load(a.ids.offset + c.y * a.ids.nb.x + c.z * a.ids.nb.y);
    return a.rows.offset + c.x * a.rows.nb.x + min(id, a.rows.ne.y - 1) * a.rows.nb.y;
}

void run_rows(uint first) {
    const uint4 c = coordinates(first, a.dst.ne);
    store4_f32(dst, address(a.dst, c), load4_f32(src, address(a.src, c)) + load4_f32(rows, row_address(c)));
}

void run_strided(uint first) {
    const uint count = min(a.n - first, 4u);

    uint4  c  = coordinates(first, a.dst.ne);
    uint4  to = address(a.dst, c);
    float4 y  = 0.0f;
    [unroll] for (uint k = 0; k < 4; ++k) {
        if (k < count) {
            y[k]  = load_f32(src, address(a.src, c)) + load_f32(rows, row_address(c));
            to[k] = address(a.dst, c);
            c     = next(c, a.dst.ne);
        }
    }
    store_few_f32(dst, to, y, count, a.packed && count == 4);
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint quad = linear_group(group) * GROUP_SIZE + thread;
    if (quad < a.n / 4 + (a.n % 4 != 0)) {
        CONCAT(run_, LAYOUT)(quad * 4);
    }
}
