// Constants of solve_tri.hlsl.
#ifndef GGML_DIRECTX_SOLVE_TRI_ARGS_H
#define GGML_DIRECTX_SOLVE_TRI_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

// lower * dst = rhs
struct solve_tri_args {
    tensor_args lower;  // the triangular matrix
    tensor_args rhs;
    tensor_args dst;
    uint        blocks;  // groups that share a matrix
    uint        first;   // this dispatch's rows: first to end - 1
    uint        end;
    uint        unused;
};

#ifdef __cplusplus
static_assert(sizeof(solve_tri_args) == 160);
}
#endif
#endif
