#pragma once

// What the element-wise families share: their kernels take four neighbouring elements of dst a thread (kernels/quad.hlsli).

#include "ops/encoder.h"

#include <cstdint>

namespace ggml_directx {

constexpr uint64_t quad_group_size = 128;

// Kernels count elements by 32 bits, and the last group may run over.
inline bool fits_quads(const ggml_tensor * dst) {
    return uint64_t(ggml_nelements(dst)) < UINT32_MAX - 4 * quad_group_size;
}

inline uint64_t quad_groups(const ggml_tensor * dst) {
    const uint64_t per_group = 4 * quad_group_size;
    return (uint64_t(ggml_nelements(dst)) + per_group - 1) / per_group;
}

// One run of elements whose quads are whole words.
inline bool is_packed(const ggml_tensor * tensor, const args::tensor_args & a) {
    return ggml_is_contiguous(tensor) && a.offset % 4 == 0;
}

// Rows of whole quads, each from a multiple of 4 bytes.
inline bool has_quad_rows(const args::tensor_args & a, ggml_type type) {
    if (a.ne[0] % 4 != 0 || a.nb[0] != ggml_type_size(type) || a.offset % 4 != 0) {
        return false;
    }
    for (int i = 1; i < GGML_MAX_DIMS; ++i) {
        if (a.ne[i] > 1 && a.nb[i] % 4 != 0) {
            return false;
        }
    }
    return true;
}

}  // namespace ggml_directx
