#include "ops/window.h"

#include <algorithm>

namespace ggml_directx {

ggml_tensor slice_of(const ggml_tensor * tensor, int dim, int64_t first, int64_t count) {
    ggml_tensor t = *tensor;
    t.ne[dim]     = count;
    // By number: while supports_op is answered there is no memory that a pointer could point into.
    t.data = reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(tensor->data) + uint64_t(first) * tensor->nb[dim]);
    return t;
}

int64_t reach_of(const encoder & e, const ggml_tensor * tensor, int dim) {
    if (ggml_is_empty(tensor)) {
        return tensor->ne[dim];
    }
    const uint64_t all  = uint64_t(tensor->ne[dim]);
    const uint64_t step = std::max<uint64_t>(tensor->nb[dim], 1);
    const uint64_t one  = ggml_nbytes(tensor) - tensor->nb[dim] * (all - 1);  // what one element of the dimension spans
    return one < e.caps().max_span ? int64_t(std::min(all, (e.caps().max_span - 1 - one) / step + 1)) : 0;
}

std::vector<window> windows_of(const encoder & e, const ggml_tensor * tensor, int dim) {
    if (ggml_is_empty(tensor)) {
        return { { *tensor, 0 } };
    }
    std::vector<window> windows;
    const int64_t       reach = reach_of(e, tensor, dim);
    for (int64_t first = 0; first < tensor->ne[dim] && reach > 0; first += reach) {
        windows.push_back({ slice_of(tensor, dim, first, std::min(reach, tensor->ne[dim] - first)), first });
    }
    return windows;
}

}  // namespace ggml_directx
