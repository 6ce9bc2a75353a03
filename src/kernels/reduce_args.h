// Constants of reduce_sum.hlsl, argmax.hlsl, count_equal.hlsl, cumsum.hlsl and repeat_back.hlsl.
#ifndef GGML_DIRECTX_REDUCE_ARGS_H
#define GGML_DIRECTX_REDUCE_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct reduce_sum_args {
    tensor_args src;
    tensor_args dst;
    uint        n;       // elements of src
    uint        slice;   // elements that a group adds up; no slice goes beyond its row
    float       divisor; // of the sums
    uint        unused;
};

struct row_args {
    tensor_args src;
    tensor_args dst;
    uint        rows;
    uint        unused0;
    uint        unused1;
    uint        unused2;
};

struct count_equal_args {
    tensor_args src0;
    tensor_args src1;
    tensor_args dst;
    uint        n;
    uint        unused0;
    uint        unused1;
    uint        unused2;
};

struct repeat_back_args {
    tensor_args src;
    tensor_args dst;
    uint        n;      // elements of dst
    uint        unused0;
    uint        unused1;
    uint        unused2;
};

#ifdef __cplusplus
static_assert(sizeof(reduce_sum_args) == 112);
static_assert(sizeof(row_args) == 112);
static_assert(sizeof(count_equal_args) == 160);
static_assert(sizeof(repeat_back_args) == 112);
}
#endif
#endif
