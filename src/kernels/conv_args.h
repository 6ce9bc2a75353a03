// Constants of the convolutions: conv.hlsl, conv_tile.hlsl, conv_dw.hlsl and conv_transpose.hlsl.
#ifndef GGML_DIRECTX_CONV_ARGS_H
#define GGML_DIRECTX_CONV_ARGS_H

#include "volume_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct conv_args {
    volume_args weights; // channels of the input in each batch, batches for channels of the output
    volume_args src;
    volume_args dst;
    window_args window;
    uint        n;       // outputs of one channel in all batches; or all outputs
    uint        first;   // of them, in this dispatch
    uint        first_channel;
    uint        inner_channels; // 1 if neighbours in memory are channels, not places
};

#ifdef __cplusplus
static_assert(sizeof(conv_args) == 224);
}
#endif
#endif
