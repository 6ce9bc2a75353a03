// dst = activation(gate) * up: gate and up are two tensors, or the halves of one's rows.
//   OP      the activation
//   LAYOUT  rows: contiguous rows at multiples of 4 bytes, a multiple of 4 elements long; strided: anything
//   TYPE    of all tensors

#define GROUP_SIZE 128

#include "glu_args.h"
#include "quad.hlsli"
#include "math.hlsli"

RWByteAddressBuffer gate : register(u0);
RWByteAddressBuffer up   : register(u1);
RWByteAddressBuffer dst  : register(u2);

cbuffer args_buffer : register(b0) {
    glu_args a;
};

float4 glu_reglu(float4 x, float4 g) {
    return choose(x > 0.0f, x * g, 0.0f);
}

float4 glu_geglu(float4 x, float4 g) {
    return gelu(x) * g;
}

float4 glu_geglu_erf(float4 x, float4 g) {
    return gelu_erf(x) * g;
}

float4 glu_geglu_quick(float4 x, float4 g) {
    return gelu_quick(x) * g;
}

float4 glu_swiglu(float4 x, float4 g) {
    return silu(x) * g;
}

float4 glu_swiglu_oai(float4 x, float4 g) {
    x = min(x, a.limit);
    return x / (1.0f + exp_bounded(-a.alpha * x)) * (clamp(g, -a.limit, a.limit) + 1.0f);
}

float4 glu_swiglu_clamp(float4 x, float4 g) {
    return silu(min(x, a.limit)) * clamp(g, -a.limit, a.limit);
}

// Not a gated unit, but of the same form: the gradient of silu, x for gate and the output's gradient for up.
float4 glu_silu_back(float4 x, float4 g) {
    const float4 s = sigmoid(x);
    return g * s * (1.0f + x * (1.0f - s));
}

void run_rows(uint first) {
    const uint4  c = coordinates(first, a.dst.ne);
    const float4 x = CONCAT(load4_, TYPE)(gate, address(a.gate, c));
    const float4 g = CONCAT(load4_, TYPE)(up,   address(a.up,   c));
    CONCAT(store4_, TYPE)(dst, address(a.dst, c), CONCAT(glu_, OP)(x, g));
}

void run_strided(uint first) {
    const uint count = min(a.n - first, 4u);

    uint4  c  = coordinates(first, a.dst.ne);
    uint4  to = address(a.dst, c);
    float4 x  = 0.0f;
    float4 g  = 0.0f;
    [unroll] for (uint k = 0; k < 4; ++k) {
        if (k < count) {
            x[k]  = CONCAT(load_, TYPE)(gate, address(a.gate, c));
            g[k]  = CONCAT(load_, TYPE)(up,   address(a.up,   c));
            to[k] = address(a.dst, c);
            c     = next(c, a.dst.ne);
        }
    }

    CONCAT(store_few_, TYPE)(dst, to, CONCAT(glu_, OP)(x, g), count, a.packed && count == 4);
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint quad = linear_group(group) * GROUP_SIZE + thread;
    if (quad < a.n / 4 + (a.n % 4 != 0)) {
        CONCAT(run_, LAYOUT)(quad * 4);
    }
}
