// Constants of unary.hlsl. A kernel holds one group of operations, so that a device that runs both sides of a branch
// does not pay for all of them.
#ifndef GGML_DIRECTX_UNARY_ARGS_H
#define GGML_DIRECTX_UNARY_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

// Group "basic".
static const uint unary_abs         = 0;
static const uint unary_sgn         = 1;
static const uint unary_neg         = 2;
static const uint unary_step        = 3;
static const uint unary_relu        = 4;
static const uint unary_leaky_relu  = 5; // params.x: slope
static const uint unary_clamp       = 6; // params.xy: min, max
static const uint unary_scale       = 7; // params.xy: factor, bias
static const uint unary_sqr         = 8;
static const uint unary_sqrt        = 9;
static const uint unary_floor       = 10;
static const uint unary_ceil        = 11;
static const uint unary_round       = 12;
static const uint unary_trunc       = 13;
static const uint unary_hardswish   = 14;
static const uint unary_hardsigmoid = 15;

// Group "exponential".
static const uint unary_exp         = 0;
static const uint unary_expm1       = 1;
static const uint unary_elu         = 2;
static const uint unary_xielu       = 3; // params: alpha_n, alpha_p, beta, eps
static const uint unary_tanh        = 4;
static const uint unary_sigmoid     = 5;
static const uint unary_silu        = 6;
static const uint unary_gelu        = 7;
static const uint unary_gelu_quick  = 8;
static const uint unary_softplus    = 9;

// Group "special".
static const uint unary_gelu_erf    = 0;
static const uint unary_log         = 1;
static const uint unary_sin         = 2;
static const uint unary_cos         = 3;

struct unary_args {
    tensor_args src;
    tensor_args dst;
    uint        n;      // elements
    uint        op;
    uint        packed; // 1: dst is contiguous from a multiple of 4 bytes
    uint        unused;
    float4      params;
};

#ifdef __cplusplus
static_assert(sizeof(unary_args) == 128);
}
#endif
#endif
