#ifndef GGML_DIRECTX_MUL_MAT_ARGS_H
#define GGML_DIRECTX_MUL_MAT_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

// How the columns of src1 and dst, and the matrix in src0, follow from a group's place in the grid.
#define MUL_MAT_PLAIN   0 // columns are dimension 1; a matrix serves ratio_z x ratio_w batches
#define MUL_MAT_INDEXED 1 // every batch is one column, for the matrix that ids has for it: few tokens choose experts
#define MUL_MAT_GROUPED 2 // tiles of columns for one matrix, as mul_mat_id_group.hlsl wrote them: many tokens do

// dst[row, column] = src0[:, row] . src1[:, column] for every batch. A dispatch covers the rows, columns and batches
// from its first ones on; its grid counts groups of rows, columns (or tiles) and batches.
struct mul_mat_args {
    tensor_args src0;
    tensor_args src1;
    tensor_args dst;
    tensor_args ids;        // indexed: [slot, token]; grouped: offset of the lists
    uint        mode;
    uint        first_row;
    uint        first_column;
    uint        first_batch;
    uint        end_column;
    uint        lanes;      // mat-vec: threads that share a row; 1, or a power of two from 8 on
    uint        ratio_z;    // batches of src1 for one of src0, per dimension
    uint        ratio_w;
};

// The lists: the pairs (token * slots + slot) of each expert one after the other; then, for each tile, its expert, its
// first pair, its number of pairs and 0.
struct mul_mat_group_args {
    tensor_args ids;
    uint        lists;      // byte offset
    uint        pairs;
    uint        experts;    // of these pairs are listed; that of others is another dispatch's
    uint        tile;       // columns
    uint        tiles;      // room for them; the unused get no pairs
    uint        tiles_at;   // bytes from the lists' start
    uint        first;      // number of the first of the experts
    uint        last;       // number of the last there is, here or elsewhere: larger ones mean it
};

#ifdef __cplusplus
}
#endif
#endif
