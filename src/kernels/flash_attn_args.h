#ifndef GGML_DIRECTX_FLASH_ATTN_ARGS_H
#define GGML_DIRECTX_FLASH_ATTN_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

// A "row" is one query of one head. The rows that share a KV head are numbered together, heads first, so that a group
// reads its part of K and V once for all of them: query = row / heads, head = kv_head * heads + row % heads.
struct flash_attn_args {
    tensor_args q;
    tensor_args k;
    tensor_args v;
    tensor_args mask;
    tensor_args sinks;
    tensor_args dst;
    uint        heads;         // query heads that share a KV head
    uint        rows;          // for each KV head
    uint        row_tiles;     // tiles of rows in this dispatch, for each KV head
    uint        first_tile;    // the dispatch's first tile of rows
    uint        splits;        // groups that share the columns of a row; 1 writes dst, more write partial results
    uint        split_columns; // columns of a split, whole tiles
    uint        has_mask;
    uint        has_sinks;
    uint        k_type;        // ggml_type, for the kernels that read any
    uint        v_type;
    uint        n_head_log2;
    uint        partial;       // byte offset of the partial results in their slot
    float       scale;         // divided by the soft-cap, if there is one
    float       softcap;       // 0: none
    float       alibi;         // max_bias / n_head_log2; 0 makes every slope 1
    uint        out_rows;      // of dst, over all dimensions
};

struct flash_attn_reduce_args {
    tensor_args sinks;
    tensor_args dst;
    uint        partial;   // byte offset of the partial results
    uint        splits;
    uint        out_rows;  // of dst, over all dimensions
    uint        has_sinks;
};

#ifdef __cplusplus
}
#endif
#endif
