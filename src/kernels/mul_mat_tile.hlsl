// A matrix times many columns: a group computes a tile of the result from slabs of both sides, decoded to floats in
// groupshared memory. A thread keeps TILE / 8 rows x TILE / 8 columns, 8 apart, in registers.
#include "mul_mat.hlsli"

static const uint group_size = 64;
static const uint per_thread = TILE / 8;
static const uint slab       = 32;           // elements of a row at a time
static const uint pitch      = slab / 4 + 1; // one float4 over, or neighbours meet in one bank

groupshared float4 rows_tile[TILE * pitch];
groupshared float4 columns_tile[TILE * pitch];

[numthreads(group_size, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint row0      = a.first_row + group.x * TILE;
    const uint column0   = a.first_column + group.y * TILE;
    const batch_place at = place_batch(a.first_batch + group.z);

    const uint x = thread % 8;
    const uint y = thread / 8;

    uint i;
    uint j;

    float sums[per_thread][per_thread];
    [unroll] for (i = 0; i < per_thread; ++i) {
        [unroll] for (j = 0; j < per_thread; ++j) {
            sums[i][j] = 0.0f;
        }
    }

    [loop] for (uint k0 = 0; k0 < a.src0.ne.x; k0 += slab) {
        [loop] for (uint chunk = thread; chunk < TILE * slab / 8; chunk += group_size) {
            const uint slot = chunk / (slab / 8);
            const uint k    = chunk % (slab / 8) * 8;
            const uint to   = slot * pitch + k / 4;
            // What is past the last row or column repeats it, and is not stored.
            float4 lo;
            float4 hi;
            load8_src0(src0, at.src0 + min(row0 + slot, a.src0.ne.y - 1) * a.src0.nb.y, k0 + k, a.src0.ne.x, lo, hi);
            rows_tile[to]     = lo;
            rows_tile[to + 1] = hi;
            load8_src1(src1, at.src1 + min(column0 + slot, a.src1.ne.y - 1) * a.src1.nb.y, k0 + k, a.src0.ne.x, lo, hi);
            columns_tile[to]     = lo;
            columns_tile[to + 1] = hi;
        }
        GroupMemoryBarrierWithGroupSync();
        [loop] for (uint q = 0; q < slab / 4; ++q) {
            float4 r[per_thread];
            [unroll] for (i = 0; i < per_thread; ++i) {
                r[i] = rows_tile[(x + i * 8) * pitch + q];
            }
            [unroll] for (j = 0; j < per_thread; ++j) {
                const float4 c = columns_tile[(y + j * 8) * pitch + q];
                [unroll] for (i = 0; i < per_thread; ++i) {
                    sums[i][j] += dot(r[i], c);
                }
            }
        }
        GroupMemoryBarrierWithGroupSync();
    }

    [unroll] for (j = 0; j < per_thread; ++j) {
        const uint column = column0 + y + j * 8;
        if (column < a.src1.ne.y) {
            [unroll] for (i = 0; i < per_thread; ++i) {
                const uint row = row0 + x + i * 8;
                if (row < a.src0.ne.y) {
                    dst.Store(at.dst + row * 4 + column * a.dst.nb.y, asuint(sums[i][j]));
                }
            }
        }
    }
}
