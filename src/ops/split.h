#pragma once

#include "ops/encoder.h"

namespace ggml_directx {

// Encodes a node of a graph: at once, or where one of its tensors is larger than a kernel can address or count, in slices
// along a dimension in which the op is independent, each with addresses of its own. False where neither is possible. This is
// what plans are made by and supports_op is answered by; the node is not a view and not empty.
bool encode_node(encoder & e, const ggml_tensor * node);

}  // namespace ggml_directx
