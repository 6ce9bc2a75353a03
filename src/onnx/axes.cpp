#include "onnx/axes.h"

#include "onnx/translator.h"

#include <algorithm>

namespace ggml_directx::onnx {

namespace {

// A dimension's elements in a row of all of the tensor's: from one to the next, and to the end of the dimension.
struct span_of_dim {
    int64_t stride;
    int64_t end;
};

span_of_dim flat(const ggml_tensor * t, int dim) {
    int64_t stride = 1;
    for (int i = 0; i < dim; ++i) {
        stride *= t->ne[i];
    }
    return { stride, stride * t->ne[dim] };
}

// Past copies and views, a softmax with a mask: what it makes of masked columns is zero.
bool is_weighting(const ggml_tensor * t) {
    while (is_view(t) || t->op == GGML_OP_CONT || t->op == GGML_OP_CPY || t->op == GGML_OP_DUP) {
        if (!t->src[0]) {
            return false;
        }
        t = t->src[0];
    }
    return t->op == GGML_OP_SOFT_MAX && t->src[1];
}

}  // namespace

// What each op says about dimensions: which of its operands' and its result's are the same, and which it treats one by one.
// Walked until nothing is new, then once more to reject the axes that some op would notice: every dimension of one that no
// rule has mentioned by then.
class axis_rules {
public:
    explicit axis_rules(graph_axes & g) : g_(g) {}

    void run(const ggml_cgraph * graph) {
        for (int i = 0; i < graph->n_nodes; ++i) {
            g_.nodes_.insert(graph->nodes[i]);
        }
        for (int i = 0; i < graph->n_nodes; ++i) {
            const ggml_tensor * node = graph->nodes[i];
            find_axes(node);
            if (!is_view(node) && !g_.in_graph(root_of(node))) {
                g_.written_.insert(root_of(node));
            }
        }
        if (g_.axes_.empty()) {
            return;
        }
        do {
            changed_ = false;
            for (int i = 0; i < graph->n_nodes; ++i) {
                apply(graph->nodes[i]);
            }
            for (int i = graph->n_nodes; i-- > 0;) {
                apply(graph->nodes[i]);
            }
        } while (changed_);
        verifying_ = true;
        for (int i = 0; i < graph->n_nodes; ++i) {
            const ggml_tensor * node = graph->nodes[i];
            mentioned_.clear();
            apply(node);
            check_mentioned(node);
            check_memory(node);
            for (const ggml_tensor * src : node->src) {
                if (src) {
                    check_mentioned(src);
                    check_memory(src);
                }
            }
        }
    }

private:
    axis_label label(const ggml_tensor * t, int dim) const {
        const auto it = g_.labels_.find(t);
        return it == g_.labels_.end() ? axis_label() : it->second[size_t(dim)];
    }

    void reject(axis_label l) {
        if (l.axis >= 0) {
            g_.axes_[size_t(l.axis)].usable = false;
        }
    }

    void set(const ggml_tensor * t, int dim, axis_label l) {
        axis_label & now = g_.labels_[t][size_t(dim)];
        if (now.axis < 0) {
            now      = l;
            changed_ = true;
        } else if (now != l) {
            reject(now);
            reject(l);
        }
    }

    void seed(const ggml_tensor * t, int dim, axis_kind kind) {
        if (t->ne[dim] <= 1 || label(t, dim).axis >= 0) {
            return;
        }
        auto it = std::find_if(g_.axes_.begin(), g_.axes_.end(), [&](const axis & a) { return a.kind == kind && a.n == t->ne[dim]; });
        if (it == g_.axes_.end()) {
            it = g_.axes_.insert(it, { .kind = kind, .n = t->ne[dim] });
        }
        set(t, dim, { .axis = int(it - g_.axes_.begin()), .inner = 1 });
    }

    void find_axes(const ggml_tensor * node) {
        switch (node->op) {
            case GGML_OP_ROPE:
                if (node->src[1]->ne[0] == node->src[0]->ne[2]) {
                    seed(node->src[1], 0, axis_kind::rows);
                }
                break;
            case GGML_OP_GET_ROWS:
                if (!g_.in_graph(node->src[1])) {
                    seed(node->src[1], 0, g_.in_graph(node->src[0]) ? axis_kind::picks : axis_kind::rows);
                }
                break;
            case GGML_OP_FLASH_ATTN_EXT:
                if (node->src[3]) {
                    seed(node->src[0], 1, axis_kind::rows);
                    seed(node->src[1], 1, axis_kind::columns);
                    g_.masks_.insert(node->src[3]);
                }
                break;
            case GGML_OP_SOFT_MAX:
                if (node->src[1]) {
                    seed(node->src[0], 1, axis_kind::rows);
                    seed(node->src[0], 0, axis_kind::columns);
                    g_.masks_.insert(node->src[1]);
                }
                break;
            default: break;
        }
    }

    void mention(const ggml_tensor * t, int dim) {
        if (verifying_) {
            mentioned_.emplace_back(t, dim);
        }
    }

    void mention_columns(const ggml_tensor * t, int dim) {
        const axis_label l = label(t, dim);
        if (l.axis >= 0 && g_.axes_[size_t(l.axis)].kind == axis_kind::columns) {
            mention(t, dim);
        }
    }

    // Without a word on whether the op treats its elements one by one.
    void equal(const ggml_tensor * a, int i, const ggml_tensor * b, int j) {
        const axis_label la = label(a, i);
        const axis_label lb = label(b, j);
        if (a->ne[i] == b->ne[j] && a->ne[i] != 1) {
            if (la.axis >= 0) {
                set(b, j, la);
            } else if (lb.axis >= 0) {
                set(a, i, lb);
            }
        } else if (verifying_ && a->ne[i] != 1 && b->ne[j] != 1) {
            reject(la);
            reject(lb);
        }
    }

    void same(const ggml_tensor * a, int i, const ggml_tensor * b, int j) {
        equal(a, i, b, j);
        mention(a, i);
        mention(b, j);
    }

    void all_same(const ggml_tensor * a, const ggml_tensor * b, int first = 0) {
        for (int i = first; i < GGML_MAX_DIMS; ++i) {
            same(a, i, b, i);
        }
    }

    // The same elements in the same order.
    void reshaped(const ggml_tensor * a, const ggml_tensor * b) {
        for (const auto & [from, to] : { std::pair(a, b), std::pair(b, a) }) {
            for (int i = 0; i < GGML_MAX_DIMS; ++i) {
                const axis_label l = label(from, i);
                if (l.axis < 0) {
                    continue;
                }
                const auto    whole = flat(from, i);
                const int64_t step  = whole.stride * l.inner;
                int           found = -1;
                for (int j = 0; j < GGML_MAX_DIMS; ++j) {
                    const auto part = flat(to, j);
                    if (to->ne[j] != 1 && part.stride <= step && step % part.stride == 0 && part.end == whole.end) {
                        found = j;
                        set(to, j, { .axis = l.axis, .inner = step / part.stride });
                    }
                }
                if (found < 0) {
                    reject(l);
                }
                mention(from, i);
            }
        }
    }

    // A part of the same memory.
    void viewed(const ggml_tensor * src, const ggml_tensor * view) {
        for (const auto & [from, to] : { std::pair(src, view), std::pair(view, src) }) {
            for (int i = 0; i < GGML_MAX_DIMS; ++i) {
                const axis_label l = label(from, i);
                if (l.axis < 0) {
                    continue;
                }
                const int64_t n    = g_.axes_[size_t(l.axis)].n;
                const size_t  step = from->nb[i] * size_t(l.inner);
                for (int j = 0; j < GGML_MAX_DIMS; ++j) {
                    if (to->ne[j] != 1 && to->ne[j] % n == 0 && to->nb[j] * size_t(to->ne[j] / n) == step) {
                        set(to, j, { .axis = l.axis, .inner = to->ne[j] / n });
                    }
                }
                mention(from, i);
            }
        }
        if (verifying_) {
            check_view(src, view);
        }
    }

    // Dimensions without a label have to stay within one step of what grows, follow it from its start, or step over it.
    void check_view(const ggml_tensor * src, const ggml_tensor * view) {
        const auto holds = [&](const ggml_tensor * t, int axis) {
            const auto it = g_.labels_.find(t);
            return it != g_.labels_.end() &&
                   std::any_of(it->second.begin(), it->second.end(), [&](axis_label l) { return l.axis == axis; });
        };
        for (int i = 0; i < GGML_MAX_DIMS; ++i) {
            const axis_label l = label(view, i);
            if (l.axis >= 0) {
                // Columns may be a part of memory from outside, of which more can be taken: check_memory looks at it.
                const bool outside = !g_.in_graph(root_of(view)) && g_.axes_[size_t(l.axis)].kind == axis_kind::columns;
                if (!outside && !holds(src, l.axis)) {
                    reject(l);
                }
                continue;
            }
            for (int j = 0; j < GGML_MAX_DIMS && view->ne[i] != 1; ++j) {
                const axis_label grown = label(src, j);
                const size_t     step  = src->nb[j] * size_t(grown.inner);
                const size_t     size  = size_t(view->ne[i] - 1) * view->nb[i];
                if (grown.axis >= 0 && size >= step && view->nb[i] != step && view->nb[i] < src->nb[j] * size_t(src->ne[j])) {
                    reject(grown);
                }
            }
        }
    }

    void copied_mask(const ggml_tensor * node) {
        if (g_.masks_.contains(node) && node->src[0] && g_.masks_.insert(node->src[0]).second) {
            changed_ = true;
        }
    }

    void apply(const ggml_tensor * node) {
        const ggml_tensor * a = node->src[0];
        const ggml_tensor * b = node->src[1];
        const ggml_tensor * c = node->src[2];
        switch (node->op) {
            case GGML_OP_RESHAPE:
                copied_mask(node);
                reshaped(a, node);
                break;
            case GGML_OP_VIEW:
                copied_mask(node);
                viewed(a, node);
                break;
            case GGML_OP_PERMUTE:
                copied_mask(node);
                for (int i = 0; i < GGML_MAX_DIMS; ++i) {
                    same(a, i, node, node->op_params[i]);
                }
                break;
            case GGML_OP_TRANSPOSE:
                for (int i = 0; i < GGML_MAX_DIMS; ++i) {
                    same(a, i, node, i < 2 ? 1 - i : i);
                }
                break;
            case GGML_OP_CPY: all_same(node, b); [[fallthrough]];
            case GGML_OP_CONT:
            case GGML_OP_DUP:
                copied_mask(node);
                reshaped(a, node);
                break;
            case GGML_OP_ADD:
            case GGML_OP_SUB:
            case GGML_OP_MUL:
            case GGML_OP_DIV:
                all_same(node, a);
                all_same(node, b);
                break;
            case GGML_OP_UNARY:
            case GGML_OP_SCALE:
            case GGML_OP_SQR:
            case GGML_OP_SQRT:
            case GGML_OP_SIN:
            case GGML_OP_COS:
            case GGML_OP_LOG:
            case GGML_OP_CLAMP:
            case GGML_OP_LEAKY_RELU:
            case GGML_OP_REPEAT: all_same(node, a); break;
            case GGML_OP_GLU:
                if (b) {
                    all_same(node, b, 1);
                }
                [[fallthrough]];
            case GGML_OP_NORM:
            case GGML_OP_RMS_NORM:
            case GGML_OP_L2_NORM:
            case GGML_OP_ARGSORT:
            case GGML_OP_TOP_K:
            case GGML_OP_SUM_ROWS:
            case GGML_OP_MEAN: all_same(node, a, 1); break;
            case GGML_OP_ARGMAX: same(node, 0, a, 1); break;
            case GGML_OP_ADD_ID:
                all_same(node, a);
                same(node, 1, c, 0);
                same(node, 2, c, 1);
                break;
            case GGML_OP_CONCAT:
                for (int i = 0; i < GGML_MAX_DIMS; ++i) {
                    if (i != node->op_params[0]) {
                        same(node, i, a, i);
                        same(node, i, b, i);
                    }
                }
                break;
            case GGML_OP_ROPE:
                all_same(node, a, 1);
                if (b->ne[0] == a->ne[2]) {
                    same(b, 0, a, 2);
                } else if (verifying_) {
                    reject(label(a, 2));  // several positions a row
                }
                break;
            case GGML_OP_MUL_MAT:
                same(node, 0, a, 1);
                all_same(node, b, 1);
                for (int i = 2; i < GGML_MAX_DIMS; ++i) {
                    same(a, i, b, i);
                }
                equal(a, 0, b, 0);
                if (is_weighting(a) || is_weighting(b)) {
                    mention_columns(a, 0);
                    mention_columns(b, 0);
                }
                break;
            case GGML_OP_MUL_MAT_ID:
                same(node, 0, a, 1);
                same(node, 1, c, 0);
                same(node, 2, c, 1);
                same(node, 1, b, 1);
                same(node, 2, b, 2);
                break;
            case GGML_OP_GET_ROWS:
                same(node, 0, a, 0);
                same(node, 1, b, 0);
                same(node, 2, b, 1);
                same(node, 3, b, 2);
                same(a, 2, b, 1);
                same(a, 3, b, 2);
                mention(a, 1);
                break;
            case GGML_OP_SET_ROWS:
                same(a, 1, b, 0);
                same(a, 2, b, 1);
                same(a, 3, b, 2);
                break;
            case GGML_OP_SOFT_MAX:
                all_same(node, a, 1);
                equal(node, 0, a, 0);
                if (b) {
                    equal(b, 0, a, 0);
                    all_same(b, a, 1);
                    mention_columns(a, 0);
                    mention_columns(b, 0);
                    mention_columns(node, 0);
                }
                break;
            case GGML_OP_FLASH_ATTN_EXT: {
                const ggml_tensor * mask = node->src[3];
                same(node, 1, a, 2);
                same(node, 2, a, 1);
                same(node, 3, a, 3);
                equal(b, 1, c, 1);
                for (int i = 2; i < GGML_MAX_DIMS; ++i) {
                    same(b, i, a, i);
                    same(c, i, b, i);
                }
                if (mask) {
                    equal(mask, 0, b, 1);
                    all_same(mask, a, 1);
                    mention_columns(b, 1);
                    mention_columns(c, 1);
                    mention_columns(mask, 0);
                }
                break;
            }
            default: break;
        }
    }

    void check_mentioned(const ggml_tensor * t) {
        for (int i = 0; i < GGML_MAX_DIMS; ++i) {
            if (std::find(mentioned_.begin(), mentioned_.end(), std::pair(t, i)) == mentioned_.end()) {
                reject(label(t, i));
            }
        }
    }

    // Memory from outside is padded as a whole in a copy, or holds columns and has room for more.
    void check_memory(const ggml_tensor * t) {
        const ggml_tensor * root = root_of(t);
        if (g_.in_graph(root) || !g_.labelled(t)) {
            return;
        }
        const bool copied  = g_.labelled(root);
        const bool written = g_.written_.contains(root);
        for (int i = 0; i < GGML_MAX_DIMS; ++i) {
            const axis_label l = label(t, i);
            if (l.axis < 0) {
                continue;
            }
            axis &     a       = g_.axes_[size_t(l.axis)];
            const bool columns = a.kind == axis_kind::columns;
            if (copied) {
                const bool fills = !columns || (g_.masks_.contains(t) && (t->type == GGML_TYPE_F32 || t->type == GGML_TYPE_F16));
                if (written || translator::is_weight(root) || ggml_is_quantized(root->type) || !ggml_is_contiguous(root) || !fills) {
                    reject(l);
                }
            } else if (!columns || !is_view(t) || g_.masks_.contains(t) || l.inner != 1) {
                reject(l);
            } else {
                a.limit = std::min(a.limit, room_for(t, i));
            }
        }
    }

    // How many elements a dimension of a view can have without reaching what another one steps over, or the root's end.
    static int64_t room_for(const ggml_tensor * t, int dim) {
        const int64_t block = ggml_blck_size(t->type);
        auto    left = int64_t(t->view_src ? ggml_nbytes(t->view_src) - t->view_offs : ggml_nbytes(t)) - int64_t(ggml_type_size(t->type));
        int64_t room = INT64_MAX;
        for (int i = 0; i < GGML_MAX_DIMS; ++i) {
            if (i == dim || t->ne[i] == 1) {
                continue;
            }
            left -= (i == 0 ? t->ne[0] / block - 1 : t->ne[i] - 1) * int64_t(t->nb[i]);
            if (t->nb[i] > t->nb[dim]) {
                room = std::min(room, int64_t(t->nb[i] / t->nb[dim]));
            }
        }
        return std::min(room, left / int64_t(t->nb[dim]) + 1);
    }

    graph_axes &                                     g_;
    bool                                             changed_   = false;
    bool                                             verifying_ = false;
    std::vector<std::pair<const ggml_tensor *, int>> mentioned_;
};

graph_axes::graph_axes(const ggml_cgraph * graph) {
    axis_rules(*this).run(graph);
}

axis_labels graph_axes::labels_of(const ggml_tensor * t) const {
    axis_labels result{};
    if (const auto it = labels_.find(t); it != labels_.end()) {
        for (size_t i = 0; i < result.size(); ++i) {
            if (it->second[i].axis >= 0 && axes_[size_t(it->second[i].axis)].usable) {
                result[i] = it->second[i];
            }
        }
    }
    return result;
}

bool graph_axes::labelled(const ggml_tensor * t) const {
    const auto it = labels_.find(t);
    return it != labels_.end() && std::any_of(it->second.begin(), it->second.end(), [](axis_label l) { return l.axis >= 0; });
}

}  // namespace ggml_directx::onnx
