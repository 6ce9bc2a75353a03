// Constants of add_id.hlsl.
#ifndef GGML_DIRECTX_ADD_ID_ARGS_H
#define GGML_DIRECTX_ADD_ID_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct add_id_args {
    tensor_args src;
    tensor_args rows;
    tensor_args ids;
    tensor_args dst;
    uint        n;      // elements of dst
    uint        packed; // 1: dst is contiguous from a multiple of 4 bytes
    uint        unused0;
    uint        unused1;
};

#ifdef __cplusplus
static_assert(sizeof(add_id_args) == 208);
}
#endif
#endif
