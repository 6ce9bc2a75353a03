// Short rows: an element's place is the number of those that come before it. Each thread counts for one element.

#define GROUP_SIZE 128

#include "sort.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    sort_args a;
};

uint2 entry(uint from, uint k) {
    return uint2(sort_key(load_f32(src, from + k * a.src.nb.x), a.descending), k);
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint index = linear_group(group) * GROUP_SIZE + thread;
    if (index >= a.total) {
        return;
    }
    const uint  row  = index / a.src.ne.x;
    const uint  from = start_of_row(a.src, row);
    const uint2 own  = entry(from, index % a.src.ne.x);

    uint rank = 0;
    [loop] for (uint k = 0; k < a.src.ne.x; ++k) {
        rank += comes_before(entry(from, k), own) ? 1 : 0;
    }
    if (rank < a.kept) {
        dst.Store(start_of_row(a.dst, row) + rank * a.dst.nb.x, own.y);
    }
}
