// A matrix times a few columns: bound by reading the matrix. Lanes share rows, each taking every lanes-th chunk of 8
// elements, and hold 4 rows x COLS sums; a group's sums meet once, at the end.
#define GROUP_SIZE 64

#include "mul_mat.hlsli"

static const uint rows    = 4; // of a thread
static const uint outputs = rows * COLS;

groupshared float partial[outputs * GROUP_SIZE];
groupshared float folded[outputs * GROUP_SIZE / 8];

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint  lane  = thread & (a.lanes - 1);
    const uint  team  = thread / a.lanes;
    const uint  teams = GROUP_SIZE / a.lanes;
    const uint  row0  = a.first_row + (group.x * teams + team) * rows;
    const place at    = place_group(group, COLS);

    uint r;
    uint c;

    // What is past the last row repeats it, and is not stored.
    const uint4 row_at = at.src0 + min(row0 + uint4(0, 1, 2, 3), a.src0.ne.y - 1) * a.src0.nb.y;

    uint2  to[COLS];
    float4 sums[COLS]; // one component a row
    [unroll] for (c = 0; c < COLS; ++c) {
        to[c]   = column_at(at, c);
        sums[c] = 0.0f;
    }

    const uint ne    = at.count == 0 ? 0 : a.src0.ne.x;
    const uint whole = ne & ~7u;
    [loop] for (uint k = lane * 8; k < whole; k += a.lanes * 8) {
        float4 x[8];
        load_rows(src0, row_at, k, x);
        [unroll] for (c = 0; c < COLS; ++c) {
            float4 lo;
            float4 hi;
            CONCAT(row_load8_, SRC1)(src1, to[c].x, k, lo, hi);
            sums[c] += x[0] * lo.x + x[1] * lo.y + x[2] * lo.z + x[3] * lo.w;
            sums[c] += x[4] * hi.x + x[5] * hi.y + x[6] * hi.z + x[7] * hi.w;
        }
    }
    if (CONCAT(SRC0, _block) == 1) {
        [loop] for (uint l = whole + lane; l < ne; l += a.lanes) {
            const float4 x = load_rows_element(src0, row_at, l);
            [unroll] for (c = 0; c < COLS; ++c) {
                sums[c] += x * CONCAT(row_load_, SRC1)(src1, to[c].x, l);
            }
        }
    }

    if (a.lanes == 1) {
        [unroll] for (c = 0; c < COLS; ++c) {
            if (c < at.count) {
                if (row0 + 4 <= a.src0.ne.y) {
                    dst.Store4(to[c].y + row0 * 4, asuint(sums[c]));
                } else {
                    [unroll] for (r = 0; r < 3; ++r) {
                        if (row0 + r < a.src0.ne.y) {
                            dst.Store(to[c].y + (row0 + r) * 4, asuint(sums[c][r]));
                        }
                    }
                }
            }
        }
        return;
    }

    // Two barriers rather than one for each halving: 8 sums become one, then at most 8 of those.
    [unroll] for (r = 0; r < outputs; ++r) {
        partial[r * GROUP_SIZE + thread] = sums[r / rows][r % rows];
    }
    GroupMemoryBarrierWithGroupSync();
    [unroll] for (uint i0 = 0; i0 < outputs * GROUP_SIZE / 8; i0 += GROUP_SIZE) {
        const uint i = i0 + thread;
        if (i < outputs * GROUP_SIZE / 8) {
            float sum = partial[i * 8];
            [unroll] for (uint j = 1; j < 8; ++j) {
                sum += partial[i * 8 + j];
            }
            folded[i] = sum;
        }
    }
    GroupMemoryBarrierWithGroupSync();

    const uint folds = a.lanes / 8; // values that are left of an output
    [loop] for (uint o = thread; o < outputs * teams; o += GROUP_SIZE) {
        // Neighbouring threads store neighbouring rows.
        const uint from   = o % (rows * teams);
        const uint column = o / (rows * teams);
        const uint row    = a.first_row + group.x * teams * rows + from;
        if (row < a.src0.ne.y && column < at.count) {
            const uint first = (column * rows + from % rows) * (GROUP_SIZE / 8) + (from / rows) * folds;
            float sum = folded[first];
            [loop] for (uint j = 1; j < folds; ++j) {
                sum += folded[first + j];
            }
            dst.Store(column_at(at, column).y + row * 4, asuint(sum));
        }
    }
}
