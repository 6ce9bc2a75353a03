// Constants of lightning_indexer.hlsl.
#ifndef GGML_DIRECTX_LIGHTNING_INDEXER_ARGS_H
#define GGML_DIRECTX_LIGHTNING_INDEXER_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct lightning_indexer_args {
    tensor_args q;        // [elements, heads, tokens, streams]
    tensor_args k;        // [elements, 1, columns, streams]
    tensor_args weights;  // [heads, tokens, 1, streams]
    tensor_args mask;     // [columns, tokens, 1, streams, perhaps fewer]
    tensor_args dst;      // [columns, tokens, 1, streams]
    uint        tokens;   // that a group takes, a power of two; the threads left over share the heads
    uint        unused0;
    uint        unused1;
    uint        unused2;
};

#ifdef __cplusplus
static_assert(sizeof(lightning_indexer_args) == 256);
}
#endif
#endif
