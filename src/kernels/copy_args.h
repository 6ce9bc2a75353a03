#ifndef GGML_DIRECTX_COPY_ARGS_H
#define GGML_DIRECTX_COPY_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

// Element i of the source, counted over all its dimensions, goes to element i of the destination.
// An "element" of a raw copy is one unit of memory: the host counts ne in units.
struct copy_args {
    tensor_args src;
    tensor_args dst;
    uint        count;  // elements
    uint        width;  // elements a thread moves
    uint        runs;   // bit 0: the source's `width` elements are neighbours, bit 1: the destination's
    uint        unused;
};

#ifdef __cplusplus
}
#endif
#endif
