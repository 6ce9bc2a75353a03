#ifndef GGML_DIRECTX_OUT_PROD_ARGS_H
#define GGML_DIRECTX_OUT_PROD_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct out_prod_args {
    tensor_args src0;
    tensor_args src1;
    tensor_args dst;
    uint        chunks;  // of 8 elements in a row of dst, the last one perhaps short
    uint        fours;   // of rows of dst, likewise
    uint        count;   // threads' pieces
    uint        ratio_z; // batches of src1 for one of src0, per dimension
    uint        ratio_w;
    uint        unused0;
    uint        unused1;
    uint        unused2;
};

#ifdef __cplusplus
}
#endif
#endif
