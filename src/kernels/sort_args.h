// Constants of sort_rank.hlsl, sort_block.hlsl and sort_merge.hlsl.
#ifndef GGML_DIRECTX_SORT_ARGS_H
#define GGML_DIRECTX_SORT_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

// Rows are sorted in runs: blocks first, then two runs become one until one is left. A run is cut to the elements that can
// still be among the first `kept`; runs follow each other without gaps, and only a row's last one may be shorter.
struct sort_args {
    tensor_args src;
    tensor_args dst;
    uint        total;      // sort_rank, sort_merge: threads that have work; sort_block: groups
    uint        descending;
    uint        kept;       // indices wanted of each row
    uint        last;       // 1: one run is left, its indices go to dst

    uint        blocks;     // sort_block: of a row
    uint        in_length;  // sort_merge: entries of a row, and of a run
    uint        in_run;
    uint        in_offset;

    uint        out_length; // the same after this step
    uint        out_run;
    uint        out_offset;
    uint        unused;
};

#ifdef __cplusplus
static_assert(sizeof(sort_args) == 144);
}
#endif
#endif
