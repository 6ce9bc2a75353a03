// Plain elements one, two and four at a time, and tensors as flat sequences: what the copying kernels share.
#ifndef GGML_DIRECTX_ELEMENTS_HLSLI
#define GGML_DIRECTX_ELEMENTS_HLSLI

#include "common.hlsli"

// The address of element i, counted over all dimensions.
uint flat_address(tensor_args t, uint i) {
    if (t.ne.y * t.ne.z * t.ne.w == 1) {
        return t.offset + i * t.nb.x;
    }
    return address(t, coordinates(i, t.ne));
}

float load_i32(RWByteAddressBuffer b, uint a) {
    return float(asint(b.Load(a)));
}
void store_i32(RWByteAddressBuffer b, uint a, float v) {
    b.Store(a, asuint(int(v)));
}

// Four neighbours from the first one's address, a multiple of 4.
float4 load4_f32(RWByteAddressBuffer b, uint a) {
    return asfloat(b.Load4(a));
}
float4 load4_f16(RWByteAddressBuffer b, uint a) {
    const uint2 w = b.Load2(a);
    return float4(f16_to_f32(w.x & 0xffffu), f16_to_f32(w.x >> 16), f16_to_f32(w.y & 0xffffu), f16_to_f32(w.y >> 16));
}
float4 load4_bf16(RWByteAddressBuffer b, uint a) {
    const uint2 w = b.Load2(a);
    return asfloat(uint4(w.x << 16, w.x & 0xffff0000u, w.y << 16, w.y & 0xffff0000u));
}
float4 load4_i32(RWByteAddressBuffer b, uint a) {
    return float4(asint(b.Load4(a)));
}

void store4_f32(RWByteAddressBuffer b, uint a, float4 v) {
    b.Store4(a, asuint(v));
}
void store4_f16(RWByteAddressBuffer b, uint a, float4 v) {
    b.Store2(a, uint2(f32_to_f16(v.x) | (f32_to_f16(v.y) << 16), f32_to_f16(v.z) | (f32_to_f16(v.w) << 16)));
}
void store4_bf16(RWByteAddressBuffer b, uint a, float4 v) {
    b.Store2(a, uint2(f32_to_bf16(v.x) | (f32_to_bf16(v.y) << 16), f32_to_bf16(v.z) | (f32_to_bf16(v.w) << 16)));
}
void store4_i32(RWByteAddressBuffer b, uint a, float4 v) {
    b.Store4(a, asuint(int4(v)));
}

void store2_f32(RWByteAddressBuffer b, uint a, float2 v) {
    b.Store2(a, asuint(v));
}
void store2_f16(RWByteAddressBuffer b, uint a, float2 v) {
    b.Store(a, f32_to_f16(v.x) | (f32_to_f16(v.y) << 16));
}
void store2_bf16(RWByteAddressBuffer b, uint a, float2 v) {
    b.Store(a, f32_to_bf16(v.x) | (f32_to_bf16(v.y) << 16));
}
void store2_i32(RWByteAddressBuffer b, uint a, float2 v) {
    b.Store2(a, asuint(int2(v)));
}

#endif
