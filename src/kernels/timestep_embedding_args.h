// Constants of timestep_embedding.hlsl.
#ifndef GGML_DIRECTX_TIMESTEP_EMBEDDING_ARGS_H
#define GGML_DIRECTX_TIMESTEP_EMBEDDING_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct timestep_embedding_args {
    tensor_args timesteps;
    tensor_args dst;
    uint        columns;    // threads for a timestep: the cosines, and the zero of an odd dimension
    uint        half_count; // cosines, and as many sines
    uint        n;          // threads in all
    float       log_period; // of the lowest frequency, negative
};

#ifdef __cplusplus
static_assert(sizeof(timestep_embedding_args) == 112);
}
#endif
#endif
