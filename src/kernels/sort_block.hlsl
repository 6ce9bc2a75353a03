// Sorts blocks of rows in groupshared memory: a bitonic network, a group of threads for each block.
//   BLOCK  elements, a power of two

#include "sort.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    sort_args a;
};

groupshared uint2 entries[BLOCK];

void load_entry(uint i, uint from, uint first, uint row) {
    const uint k = first + i;
    // What is missing of a row's last block comes after everything.
    entries[i] = k < a.src.ne.x && row < a.total / a.blocks ? uint2(sort_key(load_f32(src, from + k * a.src.nb.x), a.descending), k) : 0xffffffffu;
}

void store_entry(uint i, uint first, uint block, uint row) {
    if (first + i >= a.src.ne.x || row >= a.total / a.blocks) {
        return;
    }
    if (a.last) {
        if (i < a.kept) {
            dst.Store(start_of_row(a.dst, row) + i * a.dst.nb.x, entries[i].y);
        }
    } else if (i < a.out_run) {
        dst.Store2(a.out_offset + (row * a.out_length + block * a.out_run + i) * 8, entries[i]);
    }
}

[numthreads(BLOCK / 2, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint index = linear_group(group);
    const uint row   = index / a.blocks;
    const uint block = index % a.blocks;
    const uint first = block * BLOCK;
    const uint from  = start_of_row(a.src, row);

    load_entry(thread, from, first, row);
    load_entry(thread + BLOCK / 2, from, first, row);
    GroupMemoryBarrierWithGroupSync();

    [loop] for (uint span = 2; span <= BLOCK; span *= 2) {
        [loop] for (uint gap = span / 2; gap > 0; gap /= 2) {
            const uint  i  = 2 * thread - (thread & (gap - 1)); // the lower one of the pair that is `gap` apart
            const uint2 x  = entries[i];
            const uint2 y  = entries[i + gap];
            if (comes_before(y, x) == ((i & span) == 0)) {
                entries[i]       = y;
                entries[i + gap] = x;
            }
            GroupMemoryBarrierWithGroupSync();
        }
    }

    store_entry(thread, first, block, row);
    store_entry(thread + BLOCK / 2, first, block, row);
}
