// Shared by every kernel: addressing, typed loads and stores, reductions over a group.
// TIER (51, 60, 66) is defined by the compiler driver.
#ifndef GGML_DIRECTX_COMMON_HLSLI
#define GGML_DIRECTX_COMMON_HLSLI

#include "tensor_args.h"

#if TIER < 60
// fxc takes a function with two return statements for one that may return nothing.
#pragma warning(disable : 4000)
#endif

#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)

// encoder::dispatch_linear folds a one-dimensional grid into rows of this many groups: 65,535 is the limit.
static const uint grid_row = 32768;

uint linear_group(uint3 group) {
    return group.y * grid_row + group.x;
}

// Splits a flat element index into the four coordinates of a tensor.
uint4 coordinates(uint i, uint4 ne) {
    uint4 c;
    c.x = i % ne.x;
    i /= ne.x;
    c.y = i % ne.y;
    i /= ne.y;
    c.z = i % ne.z;
    c.w = i / ne.z;
    return c;
}

uint address(tensor_args t, uint4 c) {
    return t.offset + c.x * t.nb.x + c.y * t.nb.y + c.z * t.nb.z + c.w * t.nb.w;
}

// Byte-address loads want addresses that are multiples of 4 (NVIDIA returns wrong data otherwise, without an error).
// The word that holds a tensor's last byte is always inside the buffer: allocations are padded.
uint load_u8(RWByteAddressBuffer b, uint a) {
    return (b.Load(a & ~3u) >> ((a & 3u) * 8u)) & 0xffu;
}

uint load_u16(RWByteAddressBuffer b, uint a) {
    return (b.Load(a & ~3u) >> ((a & 2u) * 8u)) & 0xffffu;
}

// A 32-bit value at an address that is a multiple of 2, as in quantised blocks of 18 or 34 bytes.
uint load_u32(RWByteAddressBuffer b, uint a) {
    const uint lo = b.Load(a & ~3u);
    if ((a & 2u) == 0) {
        return lo;
    }
    return (lo >> 16) | (b.Load((a & ~3u) + 4) << 16);
}

// D3D's f32tof16 is free to truncate; ggml rounds to nearest even, and what is stored must agree with it.
uint f32_to_f16(float v) {
    const uint x    = asuint(v);
    const uint sign = (x >> 16) & 0x8000u;
    const uint a    = x & 0x7fffffffu;
    if (a > 0x7f800000u) {
        return sign | 0x7e00u;
    }
    if (a >= 0x477ff000u) {
        return sign | 0x7c00u;
    }
    if (a < 0x38800000u) { // subnormal half: let shift and rounding work on the significand
        if (a < 0x33000000u) {
            return sign;
        }
        const uint shift = 126u - (a >> 23);
        const uint m     = (a & 0x7fffffu) | 0x800000u;
        const uint half_ = m >> shift;
        const uint rest  = m & ((1u << shift) - 1u);
        const uint tie   = 1u << (shift - 1u);
        return sign | (half_ + ((rest > tie || (rest == tie && (half_ & 1u))) ? 1u : 0u));
    }
    const uint r = a - 0x38000000u;
    return sign | ((r + 0xfffu + ((r >> 13) & 1u)) >> 13);
}

uint f32_to_bf16(float v) {
    const uint x = asuint(v);
    if ((x & 0x7fffffffu) > 0x7f800000u) {
        return (x >> 16) | 64u;
    }
    return (x + (0x7fffu + ((x >> 16) & 1u))) >> 16;
}

// f16tof32 is exact, but drivers may flush subnormal halves: they carry the scales of quantised blocks.
float f16_to_f32(uint h) {
    const uint e = h & 0x7c00u;
    const uint m = h & 0x3ffu;
    if (e == 0) {
        return ((h & 0x8000u) ? -1.0f : 1.0f) * (float(m) * 5.9604644775390625e-8f);
    }
    return f16tof32(h & 0xffffu);
}

float bf16_to_f32(uint h) {
    return asfloat(h << 16);
}

// Typed element access by type token: load_f32, store_f16 ...; CONCAT(load_, SRC0)(b, a) picks one by an axis.
float load_f32(RWByteAddressBuffer b, uint a) {
    return asfloat(b.Load(a));
}
float load_f16(RWByteAddressBuffer b, uint a) {
    return f16_to_f32(load_u16(b, a));
}
float load_bf16(RWByteAddressBuffer b, uint a) {
    return bf16_to_f32(load_u16(b, a));
}

// Two neighbours share a word and may belong to different threads: clear the own half, then set it.
void store_u16(RWByteAddressBuffer b, uint a, uint v) {
    const uint shift = (a & 2u) * 8u;
    b.InterlockedAnd(a & ~3u, ~(0xffffu << shift));
    b.InterlockedOr(a & ~3u, (v & 0xffffu) << shift);
}

void store_u8(RWByteAddressBuffer b, uint a, uint v) {
    const uint shift = (a & 3u) * 8u;
    b.InterlockedAnd(a & ~3u, ~(0xffu << shift));
    b.InterlockedOr(a & ~3u, (v & 0xffu) << shift);
}

void store_f32(RWByteAddressBuffer b, uint a, float v) {
    b.Store(a, asuint(v));
}
void store_f16(RWByteAddressBuffer b, uint a, float v) {
    store_u16(b, a, f32_to_f16(v));
}
void store_bf16(RWByteAddressBuffer b, uint a, float v) {
    store_u16(b, a, f32_to_bf16(v));
}

// fxc and dxc fold isnan and isinf away; these read the bits.
bool is_nan(float v) {
    return (asuint(v) & 0x7fffffffu) > 0x7f800000u;
}
bool is_inf(float v) {
    return (asuint(v) & 0x7fffffffu) == 0x7f800000u;
}

#endif
