// Constants of ssm_scan.hlsl.
#ifndef GGML_DIRECTX_SSM_SCAN_ARGS_H
#define GGML_DIRECTX_SSM_SCAN_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct ssm_scan_args {
    tensor_args state;        // [elements, rows of a head, heads, sequences to pick from]
    tensor_args x;
    tensor_args dt;
    tensor_args a;
    tensor_args b;
    tensor_args c;
    uint        ids;          // offset of the sequences' indices
    uint        dst;          // offset of the outputs, [rows of a head, heads, tokens, sequences]
    uint        new_state;    // offset in dst's buffer of the state after the last token; earlier ones follow
    uint        snapshots;    // how many of the latest states to keep
    uint        group_heads;  // heads that share b and c
    uint        first;        // this dispatch's tokens: first to end - 1
    uint        end;
    uint        unused;
};

#ifdef __cplusplus
static_assert(sizeof(ssm_scan_args) == 320);
}
#endif
#endif
