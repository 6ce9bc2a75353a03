// Constants of opt_step.hlsl.
#ifndef GGML_DIRECTX_OPT_STEP_ARGS_H
#define GGML_DIRECTX_OPT_STEP_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct opt_step_args {
    tensor_args weights;
    tensor_args gradient;
    tensor_args momentum;  // adamw: running mean of the gradient
    tensor_args deviation; // adamw: running mean of its square
    uint        params;    // offset of the optimizer's own parameters
    uint        n;         // elements
    uint        unused0;
    uint        unused1;
};

#ifdef __cplusplus
static_assert(sizeof(opt_step_args) == 208);
}
#endif
#endif
