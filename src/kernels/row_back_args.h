// Constants of row_back.hlsl.
#ifndef GGML_DIRECTX_ROW_BACK_ARGS_H
#define GGML_DIRECTX_ROW_BACK_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct row_back_args {
    tensor_args gradient; // of the result
    tensor_args src;      // RMS_NORM: its operand; SOFT_MAX: its result
    tensor_args dst;      // gradient of the operand
    uint        rows;
    float       eps;      // RMS_NORM
    float       scale;    // SOFT_MAX
    uint        unused;
};

#ifdef __cplusplus
static_assert(sizeof(row_back_args) == 160);
}
#endif
#endif
