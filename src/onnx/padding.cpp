#include "onnx/padding.h"

#include "onnx/translator.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ggml_directx::onnx {

namespace {

constexpr int64_t min_columns = 512;
constexpr int64_t max_rows    = 512;

bool same_layout(const ggml_tensor * a, const ggml_tensor * b) {
    return root_of(a) == root_of(b) && a->type == b->type && std::equal(a->ne, a->ne + GGML_MAX_DIMS, b->ne) &&
           std::equal(a->nb, a->nb + GGML_MAX_DIMS, b->nb) && (a->view_src ? a->view_offs : 0) == (b->view_src ? b->view_offs : 0);
}

// The source's dimension that a stride in bytes steps through; -1: less than all of them.
int dim_of_stride(const ggml_tensor * src, size_t stride) {
    int found = -1;
    for (int i = 0; i < GGML_MAX_DIMS; ++i) {
        if (src->ne[i] != 1 && src->nb[i] <= stride && (found < 0 || src->nb[i] > src->nb[found])) {
            found = i;
        }
    }
    return found;
}

// A distance in the source's memory, in that of its twin.
size_t moved(const ggml_tensor * src, const ggml_tensor & twin, size_t distance) {
    size_t result = 0;
    while (distance > 0) {
        const int i = dim_of_stride(src, distance);
        if (i < 0) {
            return result + distance;
        }
        result += distance / src->nb[i] * twin.nb[i];
        distance %= src->nb[i];
    }
    return result;
}

template <typename function> void for_each_row(const ggml_tensor & t, const function & f) {
    for (int64_t i3 = 0; i3 < t.ne[3]; ++i3) {
        for (int64_t i2 = 0; i2 < t.ne[2]; ++i2) {
            for (int64_t i1 = 0; i1 < t.ne[1]; ++i1) {
                f(std::array{ int64_t(0), i1, i2, i3 });
            }
        }
    }
}

size_t offset_of(const ggml_tensor & t, const std::array<int64_t, 4> & at) {
    size_t offset = 0;
    for (size_t i = 0; i < at.size(); ++i) {
        offset += size_t(at[i]) * t.nb[i];
    }
    return offset;
}

void mask_out(ggml_type type, uint8_t * to, int64_t n) {
    if (type == GGML_TYPE_F16) {
        std::fill_n(reinterpret_cast<ggml_fp16_t *>(to), n, ggml_fp32_to_fp16(-INFINITY));
    } else {
        std::fill_n(reinterpret_cast<float *>(to), n, -INFINITY);
    }
}

}  // namespace

int64_t bucket_of(const axis & a) {
    if (!a.usable) {
        return a.n;
    }
    if (a.kind == axis_kind::columns) {
        int64_t size = min_columns;
        while (size < a.n) {
            size *= 2;
        }
        return std::max(a.n, std::min(size, a.limit));
    }
    for (int64_t size : { 1, 8, 32, 128 }) {
        if (a.n <= size) {
            return size;
        }
    }
    return (a.n + max_rows - 1) / max_rows * max_rows;
}

padded_graph::padded_graph(const ggml_cgraph * graph, bool ahead) : axes_(graph) {
    for (axis a : axes_.axes()) {
        if (a.kind == axis_kind::columns && a.usable) {
            const bool full = bucket_of(a) == a.n && a.limit > a.n;
            outgrown_ |= full;
            a.n += full && ahead ? 1 : 0;
        }
        sizes_.push_back(bucket_of(a));
        grows_ |= sizes_.back() != axes_.axes()[sizes_.size() - 1].n;
    }
    if (!grows_) {
        return;
    }
    for (int i = 0; i < graph->n_nodes; ++i) {
        const ggml_tensor * node = graph->nodes[i];
        for (const ggml_tensor * src : node->src) {
            if (src && !axes_.in_graph(src)) {
                make(root_of(src));
                make(src);
            }
        }
        make(node);
    }
}

std::string padded_graph::description() const {
    std::string text;
    for (size_t i = 0; i < sizes_.size(); ++i) {
        const axis & a = axes_.axes()[i];
        text += text.empty() ? "" : ", ";
        text += a.kind == axis_kind::rows ? "rows " : a.kind == axis_kind::picks ? "picked rows " : "columns ";
        text += std::to_string(a.n) + " of " + std::to_string(sizes_[i]) + (a.usable ? "" : " (cannot be padded)");
    }
    return text;
}

const ggml_tensor * padded_graph::twin_of(const ggml_tensor * t) const {
    const auto it = twins_.find(t);
    return it == twins_.end() ? t : it->second;
}

void padded_graph::make(const ggml_tensor * t) {
    const auto [it, inserted] = twins_.try_emplace(t, nullptr);
    if (!inserted) {
        return;
    }
    const axis_labels labels = axes_.labels_of(t);
    int64_t           ne[GGML_MAX_DIMS];
    for (int i = 0; i < GGML_MAX_DIMS; ++i) {
        const axis_label l = labels[size_t(i)];
        ne[i]              = l.axis < 0 ? t->ne[i] : sizes_[size_t(l.axis)] * l.inner;
    }
    const bool grows = !std::equal(ne, ne + GGML_MAX_DIMS, t->ne);
    if (!axes_.in_graph(t) && !grows) {
        twins_.erase(t);
        return;
    }
    storage_.push_back(*t);
    ggml_tensor & twin = storage_.back();
    it->second         = &twin;
    std::copy(ne, ne + GGML_MAX_DIMS, twin.ne);
    for (ggml_tensor *& src : twin.src) {
        src = const_cast<ggml_tensor *>(src ? twin_of(src) : nullptr);
    }
    if (t->view_src) {
        twin.view_src = const_cast<ggml_tensor *>(twin_of(t->view_src));
    }
    lay_out(t, twin);
    if (!axes_.in_graph(t) && t == root_of(t)) {
        inputs_.push_back({ .original = t,
                            .padded   = &twin,
                            .memory   = std::vector<uint8_t>(ggml_nbytes(&twin)),
                            .labels   = labels,
                            .mask     = axes_.is_mask(t) });
        twin.data   = inputs_.back().memory.data();
        twin.buffer = nullptr;
    }
}

// Strides and place, as the op that made the tensor would have set them.
void padded_graph::lay_out(const ggml_tensor * t, ggml_tensor & twin) {
    const ggml_tensor * src = t->src[0];
    if (t->op == GGML_OP_PERMUTE) {
        for (int i = 0; i < GGML_MAX_DIMS; ++i) {
            twin.nb[t->op_params[i]] = twin.src[0]->nb[i];
        }
        twin.view_offs = twin.src[0]->view_src ? twin.src[0]->view_offs : 0;
    } else if (t->op == GGML_OP_TRANSPOSE) {
        std::copy(twin.src[0]->nb, twin.src[0]->nb + GGML_MAX_DIMS, twin.nb);
        std::swap(twin.nb[0], twin.nb[1]);
        twin.view_offs = twin.src[0]->view_src ? twin.src[0]->view_offs : 0;
    } else if (t->op == GGML_OP_VIEW) {
        for (int i = 0; i < GGML_MAX_DIMS; ++i) {
            twin.nb[i] = moved(src, *twin.src[0], t->nb[i]);
        }
        const size_t before = src->view_src ? src->view_offs : 0;
        twin.view_offs      = (twin.src[0]->view_src ? twin.src[0]->view_offs : 0) + moved(src, *twin.src[0], t->view_offs - before);
    } else if (t->view_src && t->op != GGML_OP_RESHAPE) {
        // in place: as what it is written to
        const auto target =
            std::find_if(std::begin(t->src), std::end(t->src), [&](const ggml_tensor * s) { return s && same_layout(s, t); });
        if (target != std::end(t->src)) {
            const ggml_tensor * like = twin.src[target - std::begin(t->src)];
            std::copy(like->nb, like->nb + GGML_MAX_DIMS, twin.nb);
            twin.view_offs = like->view_src ? like->view_offs : 0;
        }
    } else {
        twin.nb[0] = ggml_type_size(t->type);
        twin.nb[1] = ggml_row_size(t->type, twin.ne[0]);
        for (int i = 2; i < GGML_MAX_DIMS; ++i) {
            twin.nb[i] = twin.nb[i - 1] * size_t(twin.ne[i - 1]);
        }
        if (t->view_src) {
            twin.view_offs = twin.src[0]->view_src ? twin.src[0]->view_offs : 0;
        }
    }
    if (twin.view_src && twin.view_src->data) {
        twin.data = static_cast<uint8_t *>(twin.view_src->data) + twin.view_offs;
    }
}

void padded_graph::allocate(std::span<const ggml_tensor * const> results) {
    for (const ggml_tensor * root : results) {
        const auto it = twins_.find(root);
        if (it != twins_.end() && !std::equal(root->ne, root->ne + GGML_MAX_DIMS, it->second->ne)) {
            results_.push_back({ .original = root,
                                 .padded   = it->second,
                                 .memory   = std::vector<uint8_t>(ggml_nbytes(it->second)),
                                 .labels   = axes_.labels_of(root),
                                 .mask     = false });
            it->second->data = results_.back().memory.data();
        }
    }
}

void padded_graph::fill() {
    for (copied & c : inputs_) {
        const ggml_tensor & from  = *c.original;
        const ggml_tensor & to    = *c.padded;
        const auto *        bytes = static_cast<const uint8_t *>(from.data);
        const size_t        size  = ggml_type_size(from.type);
        // beyond the end, what stands one step of the axis before
        const auto within = [&](int64_t i, int dim) {
            const int64_t inner = c.labels[size_t(dim)].inner;
            return i < from.ne[dim] ? i : from.ne[dim] - inner + (i - from.ne[dim]) % inner;
        };
        for_each_row(to, [&](const std::array<int64_t, 4> & at) {
            const uint8_t * row = bytes + offset_of(from, { 0, within(at[1], 1), within(at[2], 2), within(at[3], 3) });
            uint8_t *       out = c.memory.data() + offset_of(to, at);
            std::memcpy(out, row, size_t(from.ne[0]) * size);
            if (c.mask) {
                mask_out(from.type, out + size_t(from.ne[0]) * size, to.ne[0] - from.ne[0]);
            } else {
                for (int64_t i = from.ne[0]; i < to.ne[0]; ++i) {
                    std::memcpy(out + size_t(i) * size, row + size_t(within(i, 0)) * size, size);
                }
            }
        });
    }
}

void padded_graph::drain() const {
    for (const copied & c : results_) {
        const ggml_tensor & to = *c.original;
        for_each_row(to, [&](const std::array<int64_t, 4> & at) {
            std::memcpy(static_cast<uint8_t *>(to.data) + offset_of(to, at), c.memory.data() + offset_of(*c.padded, at),
                        size_t(to.ne[0]) * ggml_type_size(to.type));
        });
    }
}

}  // namespace ggml_directx::onnx
