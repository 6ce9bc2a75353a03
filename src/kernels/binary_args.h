// Constants of binary.hlsl.
#ifndef GGML_DIRECTX_BINARY_ARGS_H
#define GGML_DIRECTX_BINARY_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

static const uint binary_add = 0;
static const uint binary_sub = 1;
static const uint binary_mul = 2;
static const uint binary_div = 3;

struct binary_args {
    tensor_args src0;
    tensor_args src1;
    tensor_args dst;
    uint        n;      // elements of dst
    uint        op;
    uint        packed; // strided: 1 if dst is contiguous from a multiple of 4 bytes
    uint        unused;
};

#ifdef __cplusplus
static_assert(sizeof(binary_args) == 160);
}
#endif
#endif
