// Images and the windows that slide over them: what convolutions, pooling and im2col are told beside their tensors.
#ifndef GGML_DIRECTX_VOLUME_ARGS_H
#define GGML_DIRECTX_VOLUME_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

// A tensor seen as a batch of three-dimensional images. What a tensor does not have is one element long.
struct volume_args {
    uint4 ne;       // width, height, depth, channels
    uint4 nb;       // their strides in bytes
    uint  batches;
    uint  batch_nb;
    uint  offset;
    uint  unused0;
};

// Each in width, height, depth; the fourth is unused.
struct window_args {
    uint4 ne;       // taps
    int4  stride;   // from one output to the next
    int4  padding;
    int4  dilation; // from one tap to the next
};

#ifdef __cplusplus
static_assert(sizeof(volume_args) == 48);
static_assert(sizeof(window_args) == 64);
}
#endif
#endif
