#pragma once

#include "ops/encoder.h"

#include <cstddef>

namespace ggml_directx {

// CPY, CONT and DUP: any strides and shapes on both sides.
bool encode_copy(encoder & e, const ggml_tensor * dst);

// The second half of a copy within one type: of what has been bound to slots 0 and 1, or parts of it.
bool encode_move(encoder & e, args::tensor_args src, args::tensor_args dst, ggml_type type);

// The same for a copy from a quantised type to f32.
bool encode_decode(encoder & e, args::tensor_args src, args::tensor_args dst, ggml_type from);

// Describes a tensor by as few dimensions as its layout allows; elements keep their order. With `keep_rows` the first
// dimension is never dropped, so that nb[0] stays the element's own size.
void collapse(args::tensor_args & t, bool keep_rows);

// True if elements lie in runs of `n` neighbours, each at a multiple of 4 (of `alignment`, if smaller): counted from the
// first, over all dimensions. A single run may end short.
bool has_runs(const args::tensor_args & t, size_t element_size, size_t n, size_t alignment = 4);

}  // namespace ggml_directx
