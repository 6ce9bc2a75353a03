// Constants of mask.hlsl.
#ifndef GGML_DIRECTX_MASK_ARGS_H
#define GGML_DIRECTX_MASK_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

// What is kept of a matrix; the rest becomes `fill`.
static const uint mask_below      = 0; // x < y + shift
static const uint mask_above      = 1; // x > y + shift
static const uint mask_diagonal   = 2; // x = y + shift

struct mask_args {
    tensor_args src;
    tensor_args dst;
    uint        n;      // elements of dst
    uint        keep;
    uint        packed; // 1: dst is contiguous from a multiple of 4 bytes
    int         shift;
    float       fill;
    uint        unused0;
    uint        unused1;
    uint        unused2;
};

#ifdef __cplusplus
static_assert(sizeof(mask_args) == 128);
}
#endif
#endif
