// Attention for many rows: a group computes a tile of them against all columns (or a split), as two chained matrix
// products. K and V pass through groupshared memory in slabs of 2,048 elements.
// WIDTH is the largest row of V that the registers hold: 64, 128, 256, 512.
#include "flash_attn.hlsli"

static const uint rows_per_thread = 4;
static const uint row_groups      = 8;
#if WIDTH == 512
static const uint column_threads  = 32;
#else
static const uint column_threads  = 16;
#endif
static const uint group_size      = row_groups * column_threads;
static const uint tile_rows       = row_groups * rows_per_thread;
static const uint tile_columns    = 64;
static const uint thread_columns  = tile_columns / column_threads;
static const uint slab            = 32;                                // elements of Q and K at a time
static const uint pitch           = slab / 4 + 1;                      // one float4 over, or neighbours meet in one bank
static const uint slab_columns    = 2048 / WIDTH;                      // rows of V at a time
static const uint thread_quads    = WIDTH / (column_threads * 4);      // of a row of V

// Two turns of a load that has every type inside are not worth twice the code.
#if defined(ANY_TYPE) && WIDTH != 512
#define STAGE [loop]
#else
#define STAGE [unroll]
#endif

groupshared float4 q_tile[tile_rows * pitch];           // a slab of Q; between the products, the threads' maxima and sums
groupshared float4 kv_tile[tile_columns * pitch];       // a slab of K or V
groupshared float4 weights[tile_columns * (row_groups + 1)];
groupshared uint   tile_seen[3];

[numthreads(group_size, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint row_tile = a.first_tile + group.x % a.row_tiles;
    const uint kv_head  = group.x / a.row_tiles;
    const uint split    = group.y;
    const uint batch    = group.z;
    const uint row0     = row_tile * tile_rows;

    const uint first = split * a.split_columns;
    const uint last  = min(a.k.ne.y, first + a.split_columns);

    const uint k_base = a.k.offset + kv_head * a.k.nb.z + batch * a.k.nb.w;
    const uint v_base = a.v.offset + kv_head * a.v.nb.z + batch * a.v.nb.w;

    const uint row_group = thread / column_threads;
    const uint lane      = thread % column_threads;

    uint i;
    uint j;
    uint c;
    uint turns;

    // Rows past the last one repeat it, and are not stored.
    uint4  mask_base;
    float4 slope;
    [unroll] for (i = 0; i < rows_per_thread; ++i) {
        const row_place p = place_row(min(row0 + row_group * rows_per_thread + i, a.rows - 1), kv_head);
        mask_base[i] = mask_row(p, batch);
        slope[i]     = alibi_slope(p.head);
    }
    const uint load_row  = thread / (slab / 8);
    const uint load_part = thread % (slab / 8);
    const uint load_q    = q_row(place_row(min(row0 + load_row, a.rows - 1), kv_head), batch) + load_part * 32;

    float4 maximum = lowest;
    float4 sum     = 0;
    float4 values[rows_per_thread][thread_quads];
    [unroll] for (i = 0; i < rows_per_thread; ++i) {
        [unroll] for (c = 0; c < thread_quads; ++c) {
            values[i][c] = 0;
        }
    }

    if (thread < 3) {
        tile_seen[thread] = 0;
    }
    GroupMemoryBarrierWithGroupSync();

    uint turn = 0;
    [loop] for (uint tile = first; tile < last; tile += tile_columns) {
        // The mask first: a tile that no row sees costs nothing but its barriers (fxc allows none to be skipped).
        float4 mask[thread_columns];
        float4 most = masked;
        [unroll] for (j = 0; j < thread_columns; ++j) {
            const uint column = tile + lane + j * column_threads;
            mask[j] = masked;
            if (column < last) {
                mask[j] = 0;
                if (a.has_mask) {
                    mask[j] = mask_values(mask_base + column * 2, slope);
                }
            }
            most = max(most, mask[j]);
        }
        if (max(max(most.x, most.y), max(most.z, most.w)) != masked) {
            tile_seen[turn] = 1;
        }
        GroupMemoryBarrierWithGroupSync();
        const uint on    = tile_seen[turn];
        const uint after = turn == 0 ? 2 : turn - 1;
        turn = turn == 2 ? 0 : turn + 1;
        if (thread == 0) {
            tile_seen[after] = 0;  // two tiles ahead: nobody reads or sets it now
        }
#if TIER >= 60
        if (on == 0) {
            continue;
        }
#endif

        float4 products[thread_columns];
        [unroll] for (j = 0; j < thread_columns; ++j) {
            products[j] = 0;
        }
        [loop] for (uint k0 = 0; k0 < a.k.ne.x; k0 += slab) {
            if (on != 0) {
                const bool inside = k0 + load_part * 8 < a.k.ne.x;
                float4 lo = 0;
                float4 hi = 0;
                if (load_row < tile_rows) {
                    if (inside) {
                        row_load8_f32(q_data, load_q, k0, lo, hi);
                    }
                    q_tile[load_row * pitch + load_part * 2]     = lo;
                    q_tile[load_row * pitch + load_part * 2 + 1] = hi;
                }
                STAGE for (turns = 0; turns < tile_columns * slab / 8 / group_size; ++turns) {
                    const uint column = load_row + turns * (group_size / (slab / 8));
                    lo = 0;
                    hi = 0;
                    if (inside && tile + column < last) {
                        load8(k_data, a.k_type, k_base + (tile + column) * a.k.nb.y, k0 + load_part * 8, lo, hi);
                    }
                    kv_tile[column * pitch + load_part * 2]     = lo;
                    kv_tile[column * pitch + load_part * 2 + 1] = hi;
                }
            }
            GroupMemoryBarrierWithGroupSync();
            const uint quads = on * min(slab, a.k.ne.x - k0) / 4;
            [loop] for (uint k4 = 0; k4 < quads; ++k4) {
                float4 q[rows_per_thread];
                [unroll] for (i = 0; i < rows_per_thread; ++i) {
                    q[i] = q_tile[(row_group * rows_per_thread + i) * pitch + k4];
                }
                [unroll] for (j = 0; j < thread_columns; ++j) {
                    const float4 k = kv_tile[(lane + j * column_threads) * pitch + k4];
                    products[j] += float4(dot(q[0], k), dot(q[1], k), dot(q[2], k), dot(q[3], k));
                }
            }
            GroupMemoryBarrierWithGroupSync();
        }

        float4 top = masked;
        [unroll] for (j = 0; j < thread_columns; ++j) {
            products[j] = scores(products[j], mask[j]);
            top = max(top, products[j]);
        }
        q_tile[lane * row_groups + row_group] = top;
        GroupMemoryBarrierWithGroupSync();

        float4 m = maximum;
        [loop] for (uint l = 0; l < on * column_threads; ++l) {
            m = max(m, q_tile[l * row_groups + row_group]);
        }
        const float4 scale = exp(maximum - m);
        maximum = m;
        sum *= scale;
        [unroll] for (j = 0; j < thread_columns; ++j) {
            const float4 w = weights_of(products[j], m);
            sum += w;
            weights[(lane + j * column_threads) * (row_groups + 1) + row_group] = w;
        }
        [unroll] for (i = 0; i < rows_per_thread; ++i) {
            [unroll] for (c = 0; c < thread_quads; ++c) {
                values[i][c] *= scale[i];
            }
        }

        const uint v_chunks = WIDTH / 8;
        [loop] for (uint v0 = 0; v0 < tile_columns; v0 += slab_columns) {
            if (on != 0) {
                STAGE for (turns = 0; turns < slab_columns * v_chunks / group_size; ++turns) {
                    const uint at     = turns * group_size + thread;
                    const uint column = tile + v0 + at / v_chunks;
                    const uint d      = at % v_chunks * 8;
                    float4 lo = 0;
                    float4 hi = 0;
                    if (column < last && d < a.v.ne.x) {
                        load8(v_data, a.v_type, v_base + column * a.v.nb.y, d, lo, hi);
                    }
                    kv_tile[at * 2]     = lo;
                    kv_tile[at * 2 + 1] = hi;
                }
            }
            GroupMemoryBarrierWithGroupSync();
            [loop] for (uint column = 0; column < on * slab_columns; ++column) {
                const float4 w = weights[(v0 + column) * (row_groups + 1) + row_group];
                [unroll] for (c = 0; c < thread_quads; ++c) {
                    const float4 v = kv_tile[column * (WIDTH / 4) + c * column_threads + lane];
                    [unroll] for (i = 0; i < rows_per_thread; ++i) {
                        values[i][c] += w[i] * v;
                    }
                }
            }
            GroupMemoryBarrierWithGroupSync();
        }
    }

    // Every thread has summed the weights of its own columns.
    q_tile[lane * row_groups + row_group] = sum;
    GroupMemoryBarrierWithGroupSync();
    float4 total = 0;
    [loop] for (uint l = 0; l < column_threads; ++l) {
        total += q_tile[l * row_groups + row_group];
    }

    [unroll] for (i = 0; i < rows_per_thread; ++i) {
        const uint row = row0 + row_group * rows_per_thread + i;
        if (row < a.rows) {
            const row_place p      = place_row(row, kv_head);
            const float     factor = finish_row(p, batch, split, maximum[i], total[i], lane == 0);
            const uint      at     = out_row(p, batch, split);
            [unroll] for (c = 0; c < thread_quads; ++c) {
                const uint d = (c * column_threads + lane) * 4;
                if (d < a.v.ne.x) {
                    out_data.Store4(at + d * 4, asuint(values[i][c] * factor));
                }
            }
        }
    }
}
