// Functions that HLSL lacks, or that drivers expand into inf / inf or lose small arguments in. Four at a time: the
// element-wise kernels hold four elements a thread. Errors are a few units in the last place of a float.
#ifndef GGML_DIRECTX_MATH_HLSLI
#define GGML_DIRECTX_MATH_HLSLI

static const float positive_infinity = asfloat(0x7f800000u);

// A choice per component: ?: takes vectors in older versions of the language only, select in newer ones only.
float4 choose(bool4 c, float4 t, float4 f) {
    return float4(c.x ? t.x : f.x, c.y ? t.y : f.y, c.z ? t.z : f.z, c.w ? t.w : f.w);
}

// exp2 of an argument out of range is undefined on some devices: saturate by hand, as libm does.
float4 exp_saturated(float4 x) {
    const float4 y = exp(clamp(x, -87.0f, 88.0f)) * exp(max(x - 88.0f, 0.0f));
    return choose(x > 88.7228394f, positive_infinity, choose(x < -87.0f, 0.0f, y));
}

// exp(x) - 1 without cancellation near zero.
float4 expm1(float4 x) {
    float4 p = 0.000199448744f;
    p = p * x + 0.0013982186f;
    p = p * x + 0.00833323613f;
    p = p * x + 0.0416657912f;
    p = p * x + 0.166666668f;
    p = p * x + 0.5f;
    const float4 near_zero = x + x * x * p;
    return choose(abs(x) < 0.5f, near_zero, exp_saturated(x) - 1.0f);
}

// The intrinsic is (e^x - e^-x) / (e^x + e^-x) on some compilers: NaN for large arguments, noise for small ones.
float4 tanh_saturated(float4 x) {
    const float4 z = x * x;
    float4 p = -0.00609671416f;
    p = p * z + 0.020997179f;
    p = p * z - 0.0538509096f;
    p = p * z + 0.133327697f;
    p = p * z - 0.333333289f;
    const float4 near_zero = x + x * z * p;
    const float4 far       = sign(x) * (1.0f - 2.0f / (exp(2.0f * min(abs(x), 10.0f)) + 1.0f));
    return choose(abs(x) < 0.625f, near_zero, far);
}

float4 erf(float4 x) {
    const float4 z = x * x;
    float4 p = 7.87587506e-05f;
    p = p * z - 0.000801686429f;
    p = p * z + 0.00518908742f;
    p = p * z - 0.026854212f;
    p = p * z + 0.112835947f;
    p = p * z - 0.376126267f;
    p = p * z + 1.12837917f;

    // log(1 - erf(a)), fitted for a in [1, 4]; beyond 4 erf is 1 in a float.
    const float4 a = clamp(abs(x), 1.0f, 4.0f);
    float4 q = 1.63715141e-06f;
    q = q * a - 4.60580427e-05f;
    q = q * a + 0.000596805626f;
    q = q * a - 0.00475959629f;
    q = q * a + 0.026421136f;
    q = q * a - 0.110080083f;
    q = q * a - 0.631826052f;
    q = q * a - 1.13023343f;
    q = q * a + 0.00032013805f;
    return choose(abs(x) < 1.0f, x * p, sign(x) * (1.0f - exp(q)));
}

// sin and cos are only good near zero on many devices: take whole turns off, in three parts so that nothing is lost.
float4 reduce_angle(float4 x) {
    precise const float4 turns = round(x * 0.159154943f);
    precise float4 r = x - turns * 6.28125f;
    r = r - turns * 0.00193500519f;
    r = r - turns * 3.01991605e-07f;
    return r;
}

// For denominators, where what is beyond these bounds makes no difference.
float4 exp_bounded(float4 x) {
    return exp(clamp(x, -87.0f, 88.0f));
}

// exp(v - top), top the largest of a row. Drivers disagree on exp(-inf): some clamp the argument.
float exp_below(float v, float top) {
    const float d = v - top;
    return d < -87.0f ? 0.0f : exp(d);
}

// Nothing is left of either below -88, and what multiplies them must see that: gradients count zeros.
float4 sigmoid(float4 x) {
    return choose(x < -88.0f, 0.0f, 1.0f / (1.0f + exp_bounded(-x)));
}

float4 silu(float4 x) {
    return choose(x < -88.0f, 0.0f, x / (1.0f + exp_bounded(-x)));
}

float4 gelu(float4 x) {
    return 0.5f * x * (1.0f + tanh_saturated(0.797884561f * x * (1.0f + 0.044715f * x * x)));
}

float4 gelu_quick(float4 x) {
    return x / (1.0f + exp_bounded(-1.702f * x));
}

float4 gelu_erf(float4 x) {
    return 0.5f * x * (1.0f + erf(x * 0.707106781f));
}

#endif
