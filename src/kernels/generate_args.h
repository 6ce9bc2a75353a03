// Constants of generate.hlsl.
#ifndef GGML_DIRECTX_GENERATE_ARGS_H
#define GGML_DIRECTX_GENERATE_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct generate_args {
    tensor_args dst;
    uint        n;      // elements of dst
    uint        packed; // 1: dst is contiguous from a multiple of 4 bytes
    float       start;
    float       step;
};

#ifdef __cplusplus
static_assert(sizeof(generate_args) == 64);
}
#endif
#endif
