// One step of an optimizer, in place. A thread has a weight.
//   OPTIMIZER  adamw, sgd

#define GROUP_SIZE 128

#include "opt_step_args.h"
#include "elements.hlsli"

RWByteAddressBuffer weights   : register(u0);
RWByteAddressBuffer gradient  : register(u1);
RWByteAddressBuffer params    : register(u2);
RWByteAddressBuffer momentum  : register(u3);
RWByteAddressBuffer deviation : register(u4);

cbuffer args_buffer : register(b0) {
    opt_step_args a;
};

float param(uint i) {
    return load_f32(params, a.params + i * 4);
}

// params: the rate, its factors of old and new, an epsilon, the decay, and the corrections for the means' start at zero.
float step_adamw(uint i, float w, float g) {
    const float rate  = param(0);
    const float beta1 = param(1);
    const float beta2 = param(2);

    const uint  at_m = flat_address(a.momentum, i);
    const uint  at_v = flat_address(a.deviation, i);
    const float m    = load_f32(momentum, at_m) * beta1 + g * (1.0f - beta1);
    const float v    = load_f32(deviation, at_v) * beta2 + g * g * (1.0f - beta2);
    store_f32(momentum, at_m, m);
    store_f32(deviation, at_v, v);
    return w * (1.0f - rate * param(4)) - rate * (m * param(5)) / (sqrt(v * param(6)) + param(3));
}

// params: the rate and the decay.
float step_sgd(uint i, float w, float g) {
    const float rate = param(0);
    return w * (1.0f - rate * param(1)) - rate * g;
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint i = linear_group(group) * GROUP_SIZE + thread;
    if (i >= a.n) {
        return;
    }
    const uint  at = flat_address(a.weights, i);
    const float w  = load_f32(weights, at);
    const float g  = load_f32(gradient, flat_address(a.gradient, i));
    store_f32(weights, at, CONCAT(step_, OPTIMIZER)(i, w, g));
}
