#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// Encodes one node. Returns false, having emitted nothing that counts, for types, shapes or strides it cannot do:
// the same answer serves supports_op. Called with non-empty destinations only.
using encode_fn = bool (*)(encoder & e, const ggml_tensor * dst);

// The encoder of an op, or null where the backend has none. UNARY and GLU are one entry each.
encode_fn find_encode(ggml_op op);

// True for ops that only reinterpret memory (VIEW, RESHAPE ...): claimed, and nothing to run.
bool is_view_op(ggml_op op);

// The answer to supports_op.
bool supports(const kernel_library & library, const d3d12::capabilities & caps, const ggml_tensor * op);

}  // namespace ggml_directx
