// A matrix times a few columns: bound by reading the matrix. Lanes share a row, each taking every lanes-th chunk of 8
// elements, and hold ROWS x COLS sums; a group's sums meet once, at the end.
#define GROUP_SIZE 64

#include "mul_mat.hlsli"

#if COLS == 8
static const uint rows = 2; // of a thread
#else
static const uint rows = 4;
#endif
static const uint outputs = rows * COLS;

groupshared float partial[outputs * GROUP_SIZE];
groupshared float folded[outputs * GROUP_SIZE / 8];

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint lane      = thread & (a.lanes - 1);
    const uint team      = thread / a.lanes;
    const uint teams     = GROUP_SIZE / a.lanes;
    const uint row0      = a.first_row + (group.x * teams + team) * rows;
    const uint column0   = a.first_column + group.y * COLS;
    const batch_place at = place_batch(a.first_batch + group.z);

    uint r;
    uint c;

    // What is past the last row or column repeats it, and is not stored.
    uint row_at[rows];
    [unroll] for (r = 0; r < rows; ++r) {
        row_at[r] = at.src0 + min(row0 + r, a.src0.ne.y - 1) * a.src0.nb.y;
    }
    uint column_at[COLS];
    [unroll] for (c = 0; c < COLS; ++c) {
        column_at[c] = at.src1 + min(column0 + c, a.src1.ne.y - 1) * a.src1.nb.y;
    }

    float sums[outputs];
    [unroll] for (r = 0; r < outputs; ++r) {
        sums[r] = 0.0f;
    }

    const uint whole = a.src0.ne.x & ~7u;
    [loop] for (uint k = lane * 8; k < whole; k += a.lanes * 8) {
        float4 lo[COLS];
        float4 hi[COLS];
        [unroll] for (c = 0; c < COLS; ++c) {
            CONCAT(row_load8_, SRC1)(src1, column_at[c], k, lo[c], hi[c]);
        }
        [unroll] for (r = 0; r < rows; ++r) {
            float4 x;
            float4 y;
            CONCAT(row_load8_, SRC0)(src0, row_at[r], k, x, y);
            [unroll] for (c = 0; c < COLS; ++c) {
                sums[r * COLS + c] += dot(x, lo[c]) + dot(y, hi[c]);
            }
        }
    }
    if (CONCAT(SRC0, _block) == 1 && whole + lane < a.src0.ne.x) {
        [unroll] for (r = 0; r < rows; ++r) {
            const float x = CONCAT(row_load_, SRC0)(src0, row_at[r], whole + lane);
            [unroll] for (c = 0; c < COLS; ++c) {
                sums[r * COLS + c] += x * CONCAT(row_load_, SRC1)(src1, column_at[c], whole + lane);
            }
        }
    }

    // Two barriers rather than one for each halving: 8 sums become one, then at most 8 of those.
    [unroll] for (r = 0; r < outputs; ++r) {
        partial[r * GROUP_SIZE + thread] = sums[r];
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
        const uint column = column0 + o / (rows * teams);
        const uint row    = a.first_row + group.x * teams * rows + from;
        if (row < a.src0.ne.y && column < a.src1.ne.y) {
            const uint first = ((from % rows) * COLS + o / (rows * teams)) * (GROUP_SIZE / 8) + (from / rows) * folds;
            float sum = folded[first];
            [loop] for (uint j = 1; j < folds; ++j) {
                sum += folded[first + j];
            }
            dst.Store(at.dst + row * 4 + column * a.dst.nb.y, asuint(sum));
        }
    }
}
