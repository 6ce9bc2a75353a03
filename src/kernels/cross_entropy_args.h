// Constants of cross_entropy.hlsl.
#ifndef GGML_DIRECTX_CROSS_ENTROPY_ARGS_H
#define GGML_DIRECTX_CROSS_ENTROPY_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct cross_entropy_args {
    tensor_args logits;
    tensor_args labels;
    tensor_args dst;    // loss: one element a row
    uint        rows;
    uint        factor; // gradient: offset of the loss's own gradient, which lies in slot u3
    uint        unused0;
    uint        unused1;
};

#ifdef __cplusplus
static_assert(sizeof(cross_entropy_args) == 160);
}
#endif
#endif
