// Merges neighbouring runs. A thread has one entry: its place is that in its own run, plus the number of entries of the
// other run that come before it.

#define GROUP_SIZE 128

#include "sort.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    sort_args a;
};

uint2 entry(uint row, uint i) {
    return src.Load2(a.in_offset + (row * a.in_length + i) * 8);
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint index = linear_group(group) * GROUP_SIZE + thread;
    if (index >= a.total) {
        return;
    }
    const uint  row   = index / a.in_length;
    const uint  place = index % a.in_length;
    const uint  run   = place / a.in_run;
    const uint2 own   = entry(row, place);

    const uint other = min((run ^ 1) * a.in_run, a.in_length);
    uint       low   = other;
    uint       high  = min(other + a.in_run, a.in_length);
    [loop] while (low < high) {
        const uint middle = (low + high) / 2;
        if (comes_before(entry(row, middle), own)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }

    const uint rank = place - run * a.in_run + low - other;
    if (a.last) {
        if (rank < a.kept) {
            dst.Store(start_of_row(a.dst, row) + rank * a.dst.nb.x, own.y);
        }
    } else if (rank < a.out_run) {
        dst.Store2(a.out_offset + (row * a.out_length + run / 2 * a.out_run + rank) * 8, own);
    }
}
