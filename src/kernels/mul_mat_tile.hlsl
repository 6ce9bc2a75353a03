// A matrix times many columns: a group computes a tile of the result from slabs of both sides, decoded to floats in
// groupshared memory, four rows or columns to a vector. A thread keeps TILE / 8 rows x TILE / 8 columns in registers:
// fours of neighbours, 32 apart.
#include "mul_mat.hlsli"

static const uint group_size = 64;
static const uint fours      = TILE / 4;    // in a tile
static const uint slab       = 2048 / TILE; // elements of a row at a time: a thread loads 8 of four rows and columns
static const uint per_thread = TILE / 32;   // fours of rows and columns

groupshared float4 rows_tile[slab * fours];
groupshared float4 columns_tile[slab * fours];

void add_products(inout float4 sums[per_thread * 4], uint j, float4 r, float4 c) {
    sums[j * 4 + 0] += r * c.x;
    sums[j * 4 + 1] += r * c.y;
    sums[j * 4 + 2] += r * c.z;
    sums[j * 4 + 3] += r * c.w;
}

uint4 four_columns_at(place p, uint c) {
    return uint4(column_at(p, c).x, column_at(p, c + 1).x, column_at(p, c + 2).x, column_at(p, c + 3).x);
}

[numthreads(group_size, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint  row0 = a.first_row + group.x * TILE;
    const place at   = place_group(group, TILE);

    uint i;
    uint j;

    // Loading. Fours of rows at the end begin early enough to be whole: what two fours share comes out the same.
    const uint  own_k       = thread / fours * 8;
    const uint  own_row     = min(row0 + thread % fours * 4, a.src0.ne.y - 4);
    const uint4 own_rows    = at.src0 + (own_row + uint4(0, 1, 2, 3)) * a.src0.nb.y;
    const uint4 own_columns = four_columns_at(at, thread % fours * 4);
    const uint  own_place   = own_k * fours + thread % fours;

    // Computing
    const uint x = thread % 8;
    const uint y = thread / 8;

    float4 sums[per_thread][per_thread * 4];
    [unroll] for (i = 0; i < per_thread; ++i) {
        [unroll] for (j = 0; j < per_thread * 4; ++j) {
            sums[i][j] = 0.0f;
        }
    }

    const uint whole = a.src0.ne.x & ~7u;
    const uint steps = at.count == 0 ? 0 : slab; // a tile without columns keeps the pace at the barriers only
    [loop] for (uint k0 = 0; k0 < whole; k0 += slab) {
        float4 v[8];
        float4 w[8];
        [unroll] for (i = 0; i < 8; ++i) {
            v[i] = 0.0f;
            w[i] = 0.0f;
        }
        if (k0 + own_k < whole && steps != 0) {
            load_rows(src0, own_rows, k0 + own_k, v);
            load_columns(src1, own_columns, k0 + own_k, w);
        }
        [unroll] for (i = 0; i < 8; ++i) {
            rows_tile[own_place + i * fours]    = v[i];
            columns_tile[own_place + i * fours] = w[i];
        }
        GroupMemoryBarrierWithGroupSync();
        [loop] for (uint k = 0; k < steps; ++k) {
            float4 r[per_thread];
            [unroll] for (i = 0; i < per_thread; ++i) {
                r[i] = rows_tile[k * fours + i * 8 + x];
            }
            [unroll] for (j = 0; j < per_thread; ++j) {
                const float4 c = columns_tile[k * fours + j * 8 + y];
                [unroll] for (i = 0; i < per_thread; ++i) {
                    add_products(sums[i], j, r[i], c);
                }
            }
        }
        GroupMemoryBarrierWithGroupSync();
    }

    uint row[per_thread];
    [unroll] for (i = 0; i < per_thread; ++i) {
        row[i] = min(row0 + i * 32 + x * 4, a.src0.ne.y - 4);
    }

    if (CONCAT(SRC0, _block) == 1) {
        [loop] for (uint k = whole; k < a.src0.ne.x; ++k) { // what is left of rows that are no multiple of 8 long
            float4 r[per_thread];
            [unroll] for (i = 0; i < per_thread; ++i) {
                r[i] = load_rows_element(src0, at.src0 + (row[i] + uint4(0, 1, 2, 3)) * a.src0.nb.y, k);
            }
            [unroll] for (j = 0; j < per_thread; ++j) {
                const float4 c = load_columns_element(src1, four_columns_at(at, j * 32 + y * 4), k);
                [unroll] for (i = 0; i < per_thread; ++i) {
                    add_products(sums[i], j, r[i], c);
                }
            }
        }
    }

    [unroll] for (j = 0; j < per_thread * 4; ++j) {
        const uint column = j / 4 * 32 + y * 4 + j % 4;
        if (column < at.count) {
            const uint to = column_at(at, column).y;
            [unroll] for (i = 0; i < per_thread; ++i) {
                dst.Store4(to + row[i] * 4, asuint(sums[i][j]));
            }
        }
    }
}
