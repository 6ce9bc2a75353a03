// dst = op(src), element by element.
//   GROUP   the operations that the kernel holds, see unary_args.h
//   LAYOUT  flat: both contiguous from a multiple of 4 bytes, and a multiple of 4 elements; strided: anything
//   SRC, DST  types

#define GROUP_SIZE 128

#include "unary_args.h"
#include "quad.hlsli"
#include "math.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    unary_args a;
};

float4 apply_basic(float4 x) {
    float4 y = x;
    switch (a.op) {
        case unary_abs:         y = abs(x); break;
        case unary_sgn:         y = choose(x > 0.0f, 1.0f, choose(x < 0.0f, -1.0f, 0.0f)); break;
        case unary_neg:         y = -x; break;
        case unary_step:        y = choose(x > 0.0f, 1.0f, 0.0f); break;
        case unary_relu:        y = choose(x > 0.0f, x, 0.0f); break;
        case unary_leaky_relu:  y = choose(x > 0.0f, x, x * a.params.x); break;
        case unary_clamp:       y = max(min(x, a.params.y), a.params.x); break;
        case unary_scale:       y = x * a.params.x + a.params.y; break;
        case unary_sqr:         y = x * x; break;
        case unary_sqrt:        y = sqrt(x); break;
        case unary_floor:       y = floor(x); break;
        case unary_ceil:        y = ceil(x); break;
        // Halves go away from zero; the intrinsic takes the even neighbour.
        case unary_round:       y = trunc(x) + choose(abs(x - trunc(x)) >= 0.5f, sign(x), 0.0f); break;
        case unary_trunc:       y = trunc(x); break;
        case unary_hardswish:   y = x * saturate((x + 3.0f) / 6.0f); break;
        case unary_hardsigmoid: y = saturate((x + 3.0f) / 6.0f); break;
        default:                break;
    }
    return y;
}

float4 xielu(float4 x) {
    const float4 negative = (expm1(min(x, a.params.w)) - x) * a.params.x + a.params.z * x;
    return choose(x > 0.0f, a.params.y * x * x + a.params.z * x, negative);
}

float4 apply_exponential(float4 x) {
    float4 y = x;
    switch (a.op) {
        case unary_exp:        y = exp_saturated(x); break;
        case unary_expm1:      y = expm1(x); break;
        case unary_elu:        y = choose(x > 0.0f, x, expm1(x)); break;
        case unary_xielu:      y = xielu(x); break;
        case unary_tanh:       y = tanh_saturated(x); break;
        case unary_sigmoid:    y = sigmoid(x); break;
        case unary_silu:       y = silu(x); break;
        case unary_gelu:       y = gelu(x); break;
        case unary_gelu_quick: y = gelu_quick(x); break;
        case unary_softplus:   y = choose(x > 20.0f, x, log(1.0f + exp_bounded(min(x, 20.0f)))); break;
        default:               break;
    }
    // Bounded arguments have lost it.
    return choose(bool4(is_nan(x.x), is_nan(x.y), is_nan(x.z), is_nan(x.w)), x, y);
}

float4 apply_special(float4 x) {
    float4 y = x;
    switch (a.op) {
        case unary_gelu_erf: y = gelu_erf(x); break;
        case unary_log:      y = log(x); break;
        case unary_sin:      y = sin(reduce_angle(x)); break;
        case unary_cos:      y = cos(reduce_angle(x)); break;
        default:             break;
    }
    return y;
}

void run_flat(uint first) {
    const float4 x = CONCAT(load4_, SRC)(src, a.src.offset + first * CONCAT(SRC, _bytes));
    CONCAT(store4_, DST)(dst, a.dst.offset + first * CONCAT(DST, _bytes), CONCAT(apply_, GROUP)(x));
}

void run_strided(uint first) {
    const uint count = min(a.n - first, 4u);

    uint4  c  = coordinates(first, a.dst.ne);
    uint4  to = address(a.dst, c);
    float4 x  = 0.0f;
    [unroll] for (uint k = 0; k < 4; ++k) {
        if (k < count) {
            x[k]  = CONCAT(load_, SRC)(src, address(a.src, c));
            to[k] = address(a.dst, c);
            c     = next(c, a.dst.ne);
        }
    }

    CONCAT(store_few_, DST)(dst, to, CONCAT(apply_, GROUP)(x), count, a.packed && count == 4);
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint quad = linear_group(group) * GROUP_SIZE + thread;
    if (quad < a.n / 4 + (a.n % 4 != 0)) {
        CONCAT(run_, LAYOUT)(quad * 4);
    }
}
