#include "onnx/translator.h"

#include "onnx/ops.h"

#include "ggml-backend-impl.h"

#include <algorithm>

namespace ggml_directx::onnx {

namespace {

// Positions of single elements are computed for no more than this many.
constexpr int64_t max_indices = 1 << 20;

// A tensor's place in its root, in elements.
struct place {
    int64_t offset = 0;
    int64_t ne[4]{};
    int64_t nb[4]{};
};

place place_of(const ggml_tensor * t) {
    const auto type_size = int64_t(ggml_type_size(t->type));
    const auto block     = int64_t(ggml_blck_size(t->type));
    place      p;
    const auto offset = int64_t(t->view_src ? t->view_offs : 0);
    require(offset % type_size == 0, "a view that starts within a block");
    p.offset = offset / type_size * block;
    for (int i = 0; i < 4; ++i) {
        p.ne[i] = t->ne[i];
        require(int64_t(t->nb[i]) % type_size == 0, "strides that are no multiple of a block");
        p.nb[i] = int64_t(t->nb[i]) / type_size * block;
    }
    if (block > 1) {
        require(int64_t(t->nb[0]) == type_size, "a transposed view of blocks");
        p.nb[0] = 1;
    }
    return p;
}

bool covers(const ggml_tensor * t, const ggml_tensor * root) {
    return t == root || (t->view_offs == 0 && ggml_is_contiguous(t) && ggml_nelements(t) == ggml_nelements(root));
}

int64_t product(const dims & d) {
    int64_t n = 1;
    for (int64_t x : d) {
        n *= x;
    }
    return n;
}

dims squeezed(const dims & d) {
    dims s;
    std::copy_if(d.begin(), d.end(), std::back_inserter(s), [](int64_t n) { return n != 1; });
    return s;
}

// The positions of all elements of a view in its root.
std::vector<int64_t> positions_of(const place & p) {
    require(p.ne[0] * p.ne[1] * p.ne[2] * p.ne[3] <= max_indices, "a large view with strides that are no reshaping");
    std::vector<int64_t> at;
    for (int64_t i3 = 0; i3 < p.ne[3]; ++i3) {
        for (int64_t i2 = 0; i2 < p.ne[2]; ++i2) {
            for (int64_t i1 = 0; i1 < p.ne[1]; ++i1) {
                for (int64_t i0 = 0; i0 < p.ne[0]; ++i0) {
                    at.push_back(p.offset + i0 * p.nb[0] + i1 * p.nb[1] + i2 * p.nb[2] + i3 * p.nb[3]);
                }
            }
        }
    }
    return at;
}

}  // namespace

element element_of(ggml_type type) {
    switch (type) {
        case GGML_TYPE_F32: return element::f32;
        case GGML_TYPE_F16: return element::f16;
        case GGML_TYPE_BF16: return element::bf16;
        case GGML_TYPE_I8: return element::i8;
        case GGML_TYPE_I16: return element::i16;
        case GGML_TYPE_I32: return element::i32;
        case GGML_TYPE_I64: return element::i64;
        default: return ggml_is_quantized(type) ? element::f32 : element::none;
    }
}

bool translator::is_weight(const ggml_tensor * t) {
    const ggml_backend_buffer * buffer = t->view_src ? t->view_src->buffer : t->buffer;
    return buffer && buffer->usage == GGML_BACKEND_BUFFER_USAGE_WEIGHTS;
}

value translator::weight(const ggml_tensor * t, weight_form form, element type, dims shape, int bits, int block, bool fresh) {
    return out.weight({ .data  = t->data,
                        .type  = t->type,
                        .ne    = { t->ne[0], t->ne[1], t->ne[2], t->ne[3] },
                        .form  = form,
                        .bits  = uint8_t(bits),
                        .block = uint8_t(block),
                        .fresh = fresh,
                        .name  = t->name },
                      type, std::move(shape));
}

value translator::cast(value v, element type) {
    if (out.type_of(v) == type) {
        return v;
    }
    const value result = out.add("Cast", { v }, { { "to", int64_t(type) } }, type);
    out.note_shape(result, out.shape_of(v));
    return result;
}

value translator::reshape(value v, dims to) {
    while (const value before = out.reshaped_from(v)) {
        v = before;
    }
    if (out.shape_of(v) == to && !to.empty()) {
        return v;
    }
    const bool  known  = std::find(to.begin(), to.end(), -1) == to.end();
    const value result = op("Reshape", { v, out.numbers(to) });
    if (known) {
        out.note_shape(result, std::move(to));
    }
    return result;
}

value translator::transpose(value v, std::vector<int64_t> permutation) {
    // moving ones about is a reshaping
    const dims & shape = out.shape_of(v);
    if (shape.size() == permutation.size()) {
        dims    to;
        int64_t last  = -1;
        bool    moved = false;
        for (int64_t from : permutation) {
            to.push_back(shape[size_t(from)]);
            if (to.back() != 1) {
                moved |= from < last;
                last = from;
            }
        }
        if (!moved) {
            return reshape(v, to);
        }
        const value result = op("Transpose", { v }, { { "perm", std::move(permutation) } });
        out.note_shape(result, std::move(to));
        return result;
    }
    return op("Transpose", { v }, { { "perm", std::move(permutation) } });
}

value translator::slice(value v, int64_t axis, int64_t begin, int64_t end) {
    // starts, ends, axes
    const int64_t axis_data[] = { axis };
    return op("Slice", { v, out.numbers({ begin }), out.numbers({ end }), out.literal(element::i64, { 1 }, axis_data) });
}

value translator::concat(std::vector<value> parts, int64_t axis) {
    return op("Concat", std::move(parts), { { "axis", axis } });
}

void translator::expect_rows(const ggml_tensor * root, const dims & shape) {
    memory_of(root, shape);
}

translator::memory & translator::memory_of(const ggml_tensor * t, const dims & shape) {
    const ggml_tensor * root  = root_of(t);
    const auto [it, inserted] = memories_.try_emplace(root);
    memory & m                = it->second;
    if (inserted) {
        const element type = element_of(root->type);
        require(ggml_is_contiguous(root), "memory in another order");
        require(type != element::none, "a type that ONNX does not have");
        order_.push_back(root);
        m.external = true;
        m.shape    = shape.empty() || is_weight(root) ? shape_of(root) : shape;
        m.current  = is_weight(root) ? weight(root, weight_form::plain, type, m.shape)
                                     : out.input(root->data ? root->data : root, ggml_nbytes(root), root->type, type, m.shape);
        m.original = m.current;
    }
    return m;
}

value translator::read(const ggml_tensor * t) {
    memory & m = memory_of(t);
    apply_parts(m);
    const auto known = readings_.find(t);
    if (known != readings_.end() && known->second.version == m.version) {
        return known->second.v;
    }
    const value v = view(m, t);
    out.note_shape(v, shape_of(t));
    readings_[t] = { v, m.version };
    return v;
}

// Any strided view is a chain of reshapings and slices of its root, as long as the strides nest, and a permutation.
value translator::view(const memory & m, const ggml_tensor * t) {
    const place p = place_of(t);
    if (covers(t, root_of(t))) {
        return m.shape == shape_of(t) ? m.current : reshape(m.current, shape_of(t));
    }

    // dimensions by stride, largest first; those of one element stay where they are
    std::vector<int> slots;
    for (int i = 3; i >= 0; --i) {
        if (p.ne[i] > 1) {
            slots.push_back(i);
        }
    }
    std::vector<int> sorted = slots;
    std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) { return p.nb[a] > p.nb[b]; });

    value   v      = m.current;
    dims    actual = m.shape;           // the value's shape
    dims    wanted;                     // the finished leading dimensions
    int64_t rest   = product(m.shape);  // elements of the last one
    int64_t offset = p.offset;

    const auto narrow = [&](dims full, size_t axis, int64_t begin, int64_t n) {
        // where the shapes differ in ones alone, the slice can be taken without reshaping
        if (squeezed(full) == squeezed(actual) && full[axis] != 1) {
            size_t nth = 0;
            for (size_t i = 0; i < axis; ++i) {
                nth += full[i] != 1;
            }
            size_t at = 0;
            for (;; ++at) {
                if (actual[at] != 1 && nth-- == 0) {
                    break;
                }
            }
            v          = slice(v, int64_t(at), begin, begin + n);
            actual[at] = n;
        } else {
            v          = actual == full ? v : reshape(v, full);
            v          = slice(v, int64_t(axis), begin, begin + n);
            full[axis] = n;
            actual     = std::move(full);
        }
    };

    for (size_t j = 0; j < sorted.size(); ++j) {
        const int64_t n      = p.ne[sorted[j]];
        const int64_t stride = p.nb[sorted[j]];
        int64_t       extent = 0;  // of what is left within one step
        for (size_t k = j + 1; k < sorted.size(); ++k) {
            extent += (p.ne[sorted[k]] - 1) * p.nb[sorted[k]];
        }
        if (stride <= 0 || extent >= stride) {
            return gather_view(m, t);
        }
        const int64_t begin = offset / stride;
        offset %= stride;
        if (offset + extent >= stride) {
            return gather_view(m, t);
        }
        if (rest % stride != 0) {
            if ((begin + n) * stride > rest) {
                return gather_view(m, t);
            }
            dims full = wanted;
            full.push_back(rest);
            narrow(full, wanted.size(), begin * stride, n * stride);
        } else if (begin != 0 || rest / stride != n) {
            dims full = wanted;
            full.push_back(rest / stride);
            full.push_back(stride);
            narrow(full, wanted.size(), begin, n);
        }
        wanted.push_back(n);
        rest = stride;
    }
    if (rest != 1) {
        dims full = wanted;
        full.push_back(rest);
        narrow(full, wanted.size(), offset, 1);
    }

    // four dimensions in the order of their strides, then in ggml's
    int  order[4] = { 3, 2, 1, 0 };
    auto next     = sorted.begin();
    for (int & o : order) {
        if (p.ne[o] > 1) {
            o = *next++;
        }
    }
    dims full;
    bool permuted = false;
    for (int i = 0; i < 4; ++i) {
        full.push_back(p.ne[order[i]]);
        permuted |= order[i] != 3 - i;
    }
    v = actual == full ? v : reshape(v, full);
    if (permuted) {
        std::vector<int64_t> permutation(4);
        for (int i = 0; i < 4; ++i) {
            permutation[size_t(3 - order[i])] = i;
        }
        v = transpose(v, permutation);
    }
    return v;
}

value translator::gather_view(const memory & m, const ggml_tensor * t) {
    const std::vector<int64_t> at   = positions_of(place_of(t));
    const value                flat = reshape(m.current, { -1 });
    return reshape(op("Gather", { flat, out.numbers(at) }, { { "axis", int64_t(0) } }), shape_of(t));
}

// The root's value with a part of it replaced.
value translator::updated(const memory & m, const ggml_tensor * t, value v) {
    const place   p     = place_of(t);
    const int64_t total = product(m.shape);
    const int64_t n     = ggml_nelements(t);
    const value   flat  = reshape(m.current, { -1 });
    const value   part  = reshape(v, { -1 });
    value         result;
    if (ggml_is_contiguous(t)) {
        std::vector<value> parts;
        if (p.offset > 0) {
            parts.push_back(slice(flat, 0, 0, p.offset));
        }
        parts.push_back(part);
        if (p.offset + n < total) {
            parts.push_back(slice(flat, 0, p.offset + n, total));
        }
        result = parts.size() == 1 ? part : concat(parts, 0);
    } else {
        std::vector<int64_t> at = positions_of(p);
        result                  = op("ScatterND", { flat, reshape(out.numbers(std::move(at)), { n, 1 }), part });
    }
    return reshape(result, m.shape);
}

void translator::apply_parts(memory & m) {
    for (; m.applied < m.parts.size(); ++m.applied) {
        m.current = updated(m, m.parts[m.applied].first, m.parts[m.applied].second);
        m.version++;
    }
}

void translator::write(const ggml_tensor * t, value v) {
    require(!ggml_is_quantized(t->type), "a result in blocks");
    const element type = element_of(t->type);
    require(type != element::none, "a type that ONNX does not have");
    out.note_shape(v, shape_of(t));
    v                        = cast(v, type);
    const ggml_tensor * root = root_of(t);
    if (t == root) {
        require(ggml_is_contiguous(t), "memory in another order");
        memory m;
        m.current = v;
        m.shape   = shape_of(t);
        if (memories_.insert_or_assign(t, std::move(m)).second) {
            order_.push_back(t);
        }
        readings_[t] = { v, 0 };
        return;
    }
    if (covers(t, root)) {
        write_root(t, v, shape_of(t), {});
        return;
    }
    memory & m = memory_of(root);
    require(!m.external || !is_weight(root), "a write to weights");
    if (m.external && !m.modified && ggml_is_contiguous(t)) {
        const int64_t begin = int64_t(t->view_offs);
        const int64_t end   = begin + int64_t(ggml_nbytes(t));
        for (const auto & [other, unused] : m.parts) {
            const auto other_begin = int64_t(other->view_offs);
            require(end <= other_begin || begin >= other_begin + int64_t(ggml_nbytes(other)), "two writes to the same place");
        }
        m.parts.emplace_back(t, v);
    } else {
        apply_parts(m);
        m.current  = updated(m, t, v);
        m.modified = true;
        m.updates  = 2;  // not in place
        m.version++;
    }
}

void translator::write_root(const ggml_tensor * t, value v, dims shape, value base) {
    const ggml_tensor * root = root_of(t);
    memory &            m    = memory_of(root);
    require(!m.external || !is_weight(root), "a write to weights");
    v          = cast(v, element_of(root->type));
    m.current  = v;
    m.shape    = std::move(shape);
    m.base     = base;
    m.modified = true;
    m.updates += base ? 1 : 2;
    m.applied = m.parts.size();
    m.version++;
}

void translator::add(const ggml_tensor * node) {
    const emitter emit = find_emitter(node);
    if (!emit) {
        throw unsupported("no translation of this op");
    }
    for (int i = 0; i < GGML_MAX_SRC; ++i) {
        require(!node->src[i] || !ggml_is_empty(node->src[i]), "a source without elements");
    }
    emit(*this, node);
}

void translator::output_tensor(const ggml_tensor * root, const memory & m) {
    const bool in_place = m.external && m.updates == 1;
    out.output(m.current, root->data, ggml_nbytes(root), m.shape, in_place ? m.original : value(), in_place ? m.base : value());
}

void translator::finish(std::span<const ggml_tensor * const> results) {
    for (const ggml_tensor * root : order_) {
        memory & m = memories_.at(root);
        if (m.external) {
            if (m.modified) {
                apply_parts(m);
                output_tensor(root, m);
            } else {
                for (const auto & [part, v] : m.parts) {
                    out.output(v, part->data, ggml_nbytes(part), shape_of(part));
                }
            }
        } else if (std::find(results.begin(), results.end(), root) != results.end()) {
            output_tensor(root, m);
        }
    }
    out.finish();
}

std::vector<const ggml_tensor *> results_of(const ggml_cgraph * graph) {
    std::unordered_map<const ggml_tensor *, int> uses;
    for (int i = 0; i < graph->n_nodes; ++i) {
        for (const ggml_tensor * src : graph->nodes[i]->src) {
            if (src) {
                uses[src]++;
            }
        }
    }
    std::vector<const ggml_tensor *> results;
    for (int i = 0; i < graph->n_nodes; ++i) {
        const ggml_tensor * node  = graph->nodes[i];
        const int           inner = uses[node];
        const int           all   = graph->use_counts ? ggml_node_get_use_count(graph, i) : 0;
        if ((all == 0 || inner < all || (node->flags & GGML_TENSOR_FLAG_OUTPUT) != 0) &&
            std::find(results.begin(), results.end(), root_of(node)) == results.end()) {
            results.push_back(root_of(node));
        }
    }
    return results;
}

bool supports(const target & to, const ggml_tensor * node) {
    if (is_view(node) || ggml_is_empty(node)) {
        return true;
    }
    try {
        model      m;
        translator t(m, to);
        t.add(node);
        return true;
    } catch (const unsupported &) {
        return false;
    }
}

}  // namespace ggml_directx::onnx
