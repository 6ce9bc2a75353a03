// Constants of norm.hlsl.
#ifndef GGML_DIRECTX_NORM_ARGS_H
#define GGML_DIRECTX_NORM_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

static const uint norm_rms      = 0; // x / sqrt(mean(x * x) + eps)
static const uint norm_variance = 1; // (x - mean) / sqrt(variance + eps)
static const uint norm_l2       = 2; // x / max(sqrt(sum(x * x)), eps)

struct norm_args {
    tensor_args src;
    tensor_args dst;
    uint        slices;   // what is normalised for itself: rows, or groups of channels
    uint        op;
    uint        channels; // volume: of a group; the last one may have fewer
    uint        groups;   // volume: of a batch
    float       eps;
    uint        unused0;
    uint        unused1;
    uint        unused2;
};

#ifdef __cplusplus
static_assert(sizeof(norm_args) == 128);
}
#endif
#endif
