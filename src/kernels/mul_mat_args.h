#ifndef GGML_DIRECTX_MUL_MAT_ARGS_H
#define GGML_DIRECTX_MUL_MAT_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

// dst[row, column] = src0[:, row] . src1[:, column] for every batch. A dispatch covers the rows, columns and batches
// from its first ones on; its grid counts groups of rows, columns and batches.
struct mul_mat_args {
    tensor_args src0;
    tensor_args src1;
    tensor_args dst;
    uint        first_row;
    uint        first_column;
    uint        first_batch;
    uint        lanes;    // mat-vec: threads that share a row, a power of two from 8 on
    uint        ratio_z;  // batches of src1 for one of src0, per dimension
    uint        ratio_w;
    uint        unused0;
    uint        unused1;
};

#ifdef __cplusplus
}
#endif
#endif
