// Constants of pad.hlsl.
#ifndef GGML_DIRECTX_PAD_ARGS_H
#define GGML_DIRECTX_PAD_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct pad_args {
    tensor_args src;
    tensor_args dst;
    uint4       shift;  // added to dst's coordinates (modulo 2^32) it gives src's
    uint        n;      // elements of dst
    uint        packed; // 1: dst is contiguous from a multiple of 4 bytes
    uint        unused0;
    uint        unused1;
};

#ifdef __cplusplus
static_assert(sizeof(pad_args) == 128);
}
#endif
#endif
