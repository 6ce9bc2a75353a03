// Constants of hyper_connection_*.hlsl.
#ifndef GGML_DIRECTX_HYPER_CONNECTION_ARGS_H
#define GGML_DIRECTX_HYPER_CONNECTION_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct hyper_connection_comb_args {
    tensor_args mixes;
    tensor_args scale;
    tensor_args base;
    tensor_args dst;
    float       eps;
    uint        iterations;
    uint        unused0;
    uint        unused1;
};

// x: the streams' own values, or what goes back into them; weights: of each stream.
struct hyper_connection_args {
    tensor_args x;
    tensor_args weights;
    tensor_args residual; // post only, as comb
    tensor_args comb;
    tensor_args dst;
};

#ifdef __cplusplus
static_assert(sizeof(hyper_connection_comb_args) == 208);
static_assert(sizeof(hyper_connection_args) == 240);
}
#endif
#endif
