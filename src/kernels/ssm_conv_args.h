// Constants of ssm_conv.hlsl.
#ifndef GGML_DIRECTX_SSM_CONV_ARGS_H
#define GGML_DIRECTX_SSM_CONV_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct ssm_conv_args {
    tensor_args src;
    tensor_args weights;
    tensor_args dst;
    uint        n;       // elements of dst
    uint        unused0;
    uint        unused1;
    uint        unused2;
};

#ifdef __cplusplus
static_assert(sizeof(ssm_conv_args) == 160);
}
#endif
#endif
