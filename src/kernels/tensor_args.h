// What every kernel is told about a tensor. Shared by HLSL and C++, so that both sides agree on the layout:
// a constant buffer is made of 16-byte registers, and no member here straddles one.
#ifndef GGML_DIRECTX_TENSOR_ARGS_H
#define GGML_DIRECTX_TENSOR_ARGS_H

#ifdef __cplusplus
#include <array>
#include <cstdint>

namespace ggml_directx::args {
using uint  = uint32_t;
using uint4 = std::array<uint32_t, 4>;
using int4  = std::array<int32_t, 4>;
using float4 = std::array<float, 4>;
#endif

struct tensor_args {
    uint4 ne;     // elements per dimension
    uint4 nb;     // strides in bytes
    uint  offset; // bytes from the bound address to the first element
    uint  unused0;
    uint  unused1;
    uint  unused2;
};

#ifdef __cplusplus
static_assert(sizeof(tensor_args) == 48);
}
#endif
#endif
