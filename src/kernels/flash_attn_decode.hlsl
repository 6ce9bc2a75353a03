// Attention for few rows: a group takes up to ROWS of them and a stretch of columns, and is bound by reading K and V.
// Columns go in quads: a thread multiplies four of K, weighs four, and adds four of V, so that four loads are under way.
#include "flash_attn.hlsli"

static const uint group_size   = 128;
static const uint slices       = 8;                           // threads that share a quad of columns of K, 8 elements at a time
static const uint tile_quads   = group_size / slices;         // of columns; as many threads share a row in the softmax
static const uint tile_columns = tile_quads * 4;
static const uint slice_pitch  = ROWS * tile_quads + 1;       // one over, or all slices meet in one bank

// ops/flash_attn.cpp: no more rows at once than fit here.
static const uint q_capacity   = 2304;

groupshared float4 q_tile[q_capacity / 4];
#if ROWS == 1
groupshared float4 products[group_size * 2];
#else
groupshared float4 products[slices * slice_pitch];
#endif
groupshared float4 weights[ROWS * tile_quads];
groupshared float  row_part[ROWS * tile_quads];
groupshared float  row_scale[ROWS];

[numthreads(group_size, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint row0    = (a.first_tile + group.x % a.row_tiles) * ROWS;
    const uint kv_head = group.x / a.row_tiles;
    const uint split   = group.y;
    const uint batch   = group.z;
    const uint n_rows  = min(uint(ROWS), a.rows - row0);

    const uint k_chunks = a.k.ne.x / 8;
    const uint v_chunks = a.v.ne.x / 8;

    const uint first = split * a.split_columns;
    const uint last  = min(a.k.ne.y, first + a.split_columns);

    uint i;
    uint j;
    uint r;

    // Q by row, first or second half of each 8 elements, chunk. Rows past the last one repeat it, and are not stored.
    [loop] for (i = thread; i < ROWS * k_chunks; i += group_size) {
        const uint chunk = i % k_chunks;
        float4 lo;
        float4 hi;
        row_load8_f32(q_data, q_row(place_row(row0 + min(i / k_chunks, n_rows - 1), kv_head), batch), chunk * 8, lo, hi);
        q_tile[i * 2 - chunk]            = lo;
        q_tile[i * 2 - chunk + k_chunks] = hi;
    }

    const uint k_base = a.k.offset + kv_head * a.k.nb.z + batch * a.k.nb.w;
    const uint v_base = a.v.offset + kv_head * a.v.nb.z + batch * a.v.nb.w;

    // Q * K
    const uint slice    = thread % slices;
    const uint key_quad = thread / slices;

    // Columns that no row of the tile sees are left out. One query whose heads share a mask needs one look.
    const uint mask_step = a.rows == a.heads && a.mask.ne.z == 1 ? ROWS : 1;

    // softmax
    const uint  row       = thread / tile_quads;
    const uint  row_quad  = thread % tile_quads;
    const row_place place = place_row(row0 + min(row, n_rows - 1), kv_head);
    const float slope     = alibi_slope(place.head);
    const uint  mask_base = mask_row(place, batch);
    float maximum = lowest;
    float sum     = 0.0f;

    // weights * V
    const uint subsets = group_size / v_chunks;
    const uint v_chunk = thread % v_chunks;
    const uint subset  = thread / v_chunks;
    float4 values_lo[ROWS];
    float4 values_hi[ROWS];
    [unroll] for (r = 0; r < ROWS; ++r) {
        values_lo[r] = 0;
        values_hi[r] = 0;
    }

    GroupMemoryBarrierWithGroupSync();

    [loop] for (uint tile = first; tile < last; tile += tile_columns) {
        const uint4 key_column = min(tile + key_quad * 4 + uint4(0, 1, 2, 3), last - 1);
        float4 seen = masked;
        if (a.has_mask) {
            [loop] for (i = 0; i < n_rows; i += mask_step) {
                seen = max(seen, mask_values(mask_row(place_row(row0 + i, kv_head), batch) + key_column * 2, 1.0f));
            }
        }
        float4 acc[ROWS];
        [unroll] for (r = 0; r < ROWS; ++r) {
            acc[r] = 0;
        }
        const uint n_chunks = a.has_mask == 0 || any(seen != masked) ? k_chunks : 0;
        [loop] for (uint chunk = slice; chunk < n_chunks; chunk += slices) {
            float4 lo[4];
            float4 hi[4];
            [unroll] for (j = 0; j < 4; ++j) {
                load8(k_data, a.k_type, k_base + key_column[j] * a.k.nb.y, chunk * 8, lo[j], hi[j]);
            }
            [unroll] for (r = 0; r < ROWS; ++r) {
                const float4 q_lo = q_tile[r * 2 * k_chunks + chunk];
                const float4 q_hi = q_tile[(r * 2 + 1) * k_chunks + chunk];
                acc[r] += float4(dot(q_lo, lo[0]), dot(q_lo, lo[1]), dot(q_lo, lo[2]), dot(q_lo, lo[3]));
                acc[r] += float4(dot(q_hi, hi[0]), dot(q_hi, hi[1]), dot(q_hi, hi[2]), dot(q_hi, hi[3]));
            }
        }
        [unroll] for (r = 0; r < ROWS; ++r) {
            products[slice * slice_pitch + r * tile_quads + key_quad] = acc[r];
        }
        GroupMemoryBarrierWithGroupSync();

        float4 s = masked;
        if (row < ROWS) {
            float4 product = 0;
            [unroll] for (j = 0; j < slices; ++j) {
                product += products[j * slice_pitch + thread];
            }
            const uint4 column = tile + row_quad * 4 + uint4(0, 1, 2, 3);
            float4 mask = 0;
            if (a.has_mask) {
                mask = mask_values(mask_base + min(column, last - 1) * 2, slope);
            }
            s = choose(column < last, scores(product, mask), masked);
            row_part[thread] = max(max(s.x, s.y), max(s.z, s.w));
        }
        GroupMemoryBarrierWithGroupSync();

        if (row < ROWS) {
            float m = maximum;
            [loop] for (i = 0; i < tile_quads; ++i) {
                m = max(m, row_part[row * tile_quads + i]);
            }
            const float  scale = exp(maximum - m);
            const float4 w     = weights_of(s, m);
            maximum = m;
            sum     = sum * scale + dot(w, 1.0f);
            weights[thread] = w;
            if (row_quad == 0) {
                row_scale[row] = scale;
            }
        }
        GroupMemoryBarrierWithGroupSync();

        [unroll] for (r = 0; r < ROWS; ++r) {
            values_lo[r] *= row_scale[r];
            values_hi[r] *= row_scale[r];
        }
        const uint n_quads = subset < subsets ? (min(tile_columns, last - tile) + 3) / 4 : 0;
        [loop] for (uint quad = subset; quad < n_quads; quad += subsets) {
            float4 w[ROWS];
            float4 total = 0;
            [unroll] for (r = 0; r < ROWS; ++r) {
                w[r]   = weights[r * tile_quads + quad];
                total += w[r];
            }
            if (dot(total, 1.0f) != 0.0f) {
                [unroll] for (j = 0; j < 4; ++j) {
                    float4 lo;
                    float4 hi;
                    load8(v_data, a.v_type, v_base + min(tile + quad * 4 + j, last - 1) * a.v.nb.y, v_chunk * 8, lo, hi);
                    [unroll] for (r = 0; r < ROWS; ++r) {
                        values_lo[r] += w[r][j] * lo;
                        values_hi[r] += w[r][j] * hi;
                    }
                }
            }
        }
    }

    // Every thread of a row has summed its own columns, every subset of threads its own columns of values.
    GroupMemoryBarrierWithGroupSync();
    if (row < ROWS) {
        row_part[thread] = sum;
    }
    GroupMemoryBarrierWithGroupSync();
    if (row < n_rows && row_quad == 0) {
        float total = 0.0f;
        [loop] for (i = 0; i < tile_quads; ++i) {
            total += row_part[row * tile_quads + i];
        }
        row_scale[row] = finish_row(place, batch, split, maximum, total, true);
    }
    [unroll] for (r = 0; r < ROWS; ++r) {
        GroupMemoryBarrierWithGroupSync();
        if (subset < subsets) {
            products[thread * 2]     = values_lo[r];
            products[thread * 2 + 1] = values_hi[r];
        }
        GroupMemoryBarrierWithGroupSync();
        if (r < n_rows && thread < v_chunks * 2) {
            float4 total = 0;
            [loop] for (i = 0; i < subsets; ++i) {
                total += products[i * v_chunks * 2 + thread];
            }
            out_data.Store4(out_row(place_row(row0 + r, kv_head), batch, split) + thread * 16, asuint(total * row_scale[r]));
        }
    }
}
