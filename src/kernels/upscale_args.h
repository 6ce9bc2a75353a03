// Constants of upscale.hlsl.
#ifndef GGML_DIRECTX_UPSCALE_ARGS_H
#define GGML_DIRECTX_UPSCALE_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct upscale_args {
    tensor_args src;
    tensor_args dst;
    float4      scale;  // elements of dst for one of src
    float       center; // of an element: 0.5, or 0 where the corners' centers are kept in place
    uint        n;      // elements of dst
    uint        unused0;
    uint        unused1;
};

#ifdef __cplusplus
static_assert(sizeof(upscale_args) == 128);
}
#endif
#endif
