// Solves a lower triangular system for many right-hand sides; the columns of dst do not meet.
//   ROWS  0: a thread solves a column row by row, rereading what it has stored. Any size.
//         n: eight threads share a column; a solved row is taken off all later ones at once, of which each thread holds
//            every eighth, up to n, in registers.

#include "solve_tri_args.h"
#include "common.hlsli"

RWByteAddressBuffer factors : register(u0);
RWByteAddressBuffer rhs     : register(u1);
RWByteAddressBuffer dst     : register(u2);

cbuffer args_buffer : register(b0) {
    solve_tri_args a;
};

#if ROWS == 0

[numthreads(64, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint batch  = group.x / a.blocks;
    const uint column = group.x % a.blocks * 64 + thread;
    if (column >= a.dst.ne.x) {
        return;
    }
    const uint4 first = uint4(0, 0, batch % a.dst.ne.z, batch / a.dst.ne.z);
    const uint  from  = address(a.rhs, first) + column * a.rhs.nb.x;
    const uint  to    = address(a.dst, first) + column * a.dst.nb.x;
    uint row = address(a.lower, first) + a.first * a.lower.nb.y;

    // One loop over what are two, rows and what is solved before them: fxc takes the inner one for one that does nothing.
    uint  i    = a.first;
    uint  j    = 0;
    float left = load_f32(rhs, from + i * a.rhs.nb.y);
    [loop] while (i < a.end) {
        const float factor = load_f32(factors, row + j * a.lower.nb.x);
        if (j < i) {
            left -= factor * load_f32(dst, to + j * a.dst.nb.y);
            ++j;
        } else {
            store_f32(dst, to + i * a.dst.nb.y, left / factor);
            ++i;
            j    = 0;
            row += a.lower.nb.y;
            left = load_f32(rhs, from + min(i, a.end - 1) * a.rhs.nb.y);
        }
    }
}

#else

static const uint columns = 16; // ops/solve_tri.cpp
static const uint lanes   = 8;

groupshared float solved[2][columns];

[numthreads(columns * lanes, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint batch  = group.x / a.blocks;
    const uint local  = thread % columns;
    const uint lane   = thread / columns;
    const uint column = group.x % a.blocks * columns + local;
    const uint n      = a.dst.ne.y;

    // What is past the last row or column repeats it, and is not stored.
    const uint4 first = uint4(0, 0, batch % a.dst.ne.z, batch / a.dst.ne.z);
    const uint  at    = min(column, a.dst.ne.x - 1);
    const uint  from  = address(a.rhs, first) + at * a.rhs.nb.x;
    const uint  to    = address(a.dst, first) + at * a.dst.nb.x;
    const uint  rows  = address(a.lower, first);

    uint k;
    float left[ROWS];
    [unroll] for (k = 0; k < ROWS; ++k) {
        left[k] = load_f32(rhs, from + min(k * lanes + lane, n - 1) * a.rhs.nb.y);
    }

    // One step solves the rows of one register, lane by lane.
    [unroll] for (uint step = 0; step < ROWS; ++step) {
        [loop] for (uint turn = 0; turn < lanes; ++turn) {
            const uint i = step * lanes + turn;
            if (i < n) { // the same for the whole group
                const uint below = rows + i * a.lower.nb.x; // the solved row's column of the matrix
                if (lane == turn) {
                    const float x = left[step] / load_f32(factors, below + i * a.lower.nb.y);
                    solved[i & 1][local] = x;
                    if (column < a.dst.ne.x) {
                        store_f32(dst, to + i * a.dst.nb.y, x);
                    }
                }
                GroupMemoryBarrierWithGroupSync();
                // Two buffers in turn: nobody writes the one that others may still read.
                const float x = solved[i & 1][local];
                [unroll] for (k = step; k < ROWS; ++k) {
                    left[k] -= x * load_f32(factors, below + min(k * lanes + lane, n - 1) * a.lower.nb.y);
                }
            }
        }
    }
}

#endif
