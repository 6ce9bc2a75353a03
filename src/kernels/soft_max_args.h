// Constants of soft_max.hlsl.
#ifndef GGML_DIRECTX_SOFT_MAX_ARGS_H
#define GGML_DIRECTX_SOFT_MAX_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct soft_max_args {
    tensor_args src;
    tensor_args mask;
    tensor_args sinks;
    tensor_args dst;
    uint        rows;
    uint        has_sinks;
    uint        n_head_log2;
    float       scale;
    float       alibi;   // max_bias / n_head_log2; 0 makes every slope 1
    float       blank;   // what the elements of a row become that is masked from end to end
    uint        unused0;
    uint        unused1;
};

#ifdef __cplusplus
static_assert(sizeof(soft_max_args) == 224);
}
#endif
#endif
