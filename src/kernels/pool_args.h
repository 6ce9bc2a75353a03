// Constants of pool.hlsl and pool_back.hlsl.
#ifndef GGML_DIRECTX_POOL_ARGS_H
#define GGML_DIRECTX_POOL_ARGS_H

#include "volume_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct pool_args {
    volume_args image;
    volume_args pooled;
    volume_args forward; // the image that was pooled, for its gradient
    window_args window;
    uint        n;       // elements that are written
    uint        largest; // 1: the largest of the window, 0: the mean
    uint        divisor; // of the mean; 0: as many as the window sees
    uint        unused0;
};

#ifdef __cplusplus
static_assert(sizeof(pool_args) == 224);
}
#endif
#endif
