// Copies where neighbours in memory differ between the sides: a tile passes through groupshared memory, so that both
// reading and writing run along memory. The host orders the dimensions: x runs along the destination's memory, y along
// the source's. UNIT: u16, u32.
#include "elements.hlsli"
#include "copy_args.h"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    copy_args a;
};

static const uint tile      = 32;
static const uint tile_rows = 8; // threads along the slow side

groupshared uint tile_memory[tile][tile + 1]; // the pad keeps columns out of one bank

#define load_unit_u16 load_u16
#define load_unit_u32(b, at) b.Load(at)

void store_column_u32(uint at, uint x, uint y, uint n) {
    if (x < n) {
        dst.Store(at + x * 4, tile_memory[y][x]);
    }
}

// A thread stores a word, two units; half of the threads are idle.
void store_column_u16(uint at, uint x, uint y, uint n) {
    const uint k = x * 2;
    if (k + 1 < n && (at & 2u) == 0) {
        dst.Store(at + k * 2, tile_memory[y][k] | (tile_memory[y][k + 1] << 16));
    } else {
        for (uint j = k; j < min(k + 2, n); ++j) {
            store_u16(dst, at + j * 2, tile_memory[y][j]);
        }
    }
}

[numthreads(tile, tile_rows, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID) {
    const uint2 tiles = (a.dst.ne.xy + tile - 1) / tile;
    const uint  i     = linear_group(group);
    const uint  batch = i / (tiles.x * tiles.y);
    const uint2 first = uint2(i % tiles.x, (i / tiles.x) % tiles.y) * tile;
    const uint2 zw    = uint2(batch % a.dst.ne.z, batch / a.dst.ne.z);
    const bool  real  = i < a.count;
    const uint2 n     = real ? min(tile, a.dst.ne.xy - first) : 0;

    const uint from = address(a.src, uint4(first, zw));
    [unroll] for (uint k = 0; k < tile / tile_rows; ++k) {
        const uint y = thread.y + k * tile_rows;
        if (y < n.x && thread.x < n.y) {
            tile_memory[thread.x][y] = CONCAT(load_unit_, UNIT)(src, from + y * a.src.nb.x + thread.x * a.src.nb.y);
        }
    }
    GroupMemoryBarrierWithGroupSync();

    const uint to = address(a.dst, uint4(first, zw));
    [unroll] for (uint l = 0; l < tile / tile_rows; ++l) {
        const uint y = thread.y + l * tile_rows;
        if (y < n.y) {
            CONCAT(store_column_, UNIT)(to + y * a.dst.nb.y, thread.x, y, n.x);
        }
    }
}
