// Constants of glu.hlsl.
#ifndef GGML_DIRECTX_GLU_ARGS_H
#define GGML_DIRECTX_GLU_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct glu_args {
    tensor_args gate; // the operand that goes through the activation
    tensor_args up;
    tensor_args dst;
    uint        n;      // elements of dst
    uint        packed; // strided: 1 if dst is contiguous from a multiple of 4 bytes
    float       alpha;  // swiglu_oai
    float       limit;  // swiglu_oai, swiglu_clamp
};

#ifdef __cplusplus
static_assert(sizeof(glu_args) == 160);
}
#endif
#endif
