// Constants of col2im.hlsl.
#ifndef GGML_DIRECTX_COL2IM_ARGS_H
#define GGML_DIRECTX_COL2IM_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct col2im_args {
    tensor_args src;
    tensor_args dst;
    uint        n;      // elements of dst
    uint        packed; // 1: dst is contiguous from a multiple of 4 bytes
    uint        taps;   // of a channel
    uint        stride; // from one column's first tap to the next's
    uint        crop;   // elements cut off in front
    uint        unused0;
    uint        unused1;
    uint        unused2;
};

#ifdef __cplusplus
static_assert(sizeof(col2im_args) == 128);
}
#endif
#endif
