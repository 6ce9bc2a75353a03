// Constants of im2col.hlsl and im2col_back.hlsl.
#ifndef GGML_DIRECTX_IM2COL_ARGS_H
#define GGML_DIRECTX_IM2COL_ARGS_H

#include "volume_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct im2col_args {
    volume_args image;
    volume_args columns; // one for each output of the convolution, whose channels are the channels' taps
    window_args window;
    uint        n;       // elements that are written
    uint        packed;  // 1: the columns are contiguous from a multiple of 4 bytes
    uint        unused0;
    uint        unused1;
};

#ifdef __cplusplus
static_assert(sizeof(im2col_args) == 176);
}
#endif
#endif
