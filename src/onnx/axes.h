#pragma once

// Which dimensions of a graph's tensors grow with what a program asks for: the rows of a batch, the rows picked from it, and
// the columns that attention looks at. They alone change from one call of a model to the next, and they can be padded.

#include "ggml-impl.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ggml_directx::onnx {

enum class axis_kind : uint8_t {
    rows,     // tokens: what more of them make is dropped
    picks,    // rows that GET_ROWS takes from what the graph computed, such as the last one for its logits
    columns,  // keys and values: more of them are masked
};

// One size that grows, wherever it occurs.
struct axis {
    axis_kind kind;
    int64_t   n;                   // as it is in the graph
    int64_t   limit  = INT64_MAX;  // what the memory of columns has room for
    bool      usable = true;       // false: more of it would change a result
};

// A dimension that holds an axis: n * inner elements, the axis outermost.
struct axis_label {
    int     axis                                 = -1;  // index; -1: none
    int64_t inner                                = 1;
    bool    operator==(const axis_label &) const = default;
};

using axis_labels = std::array<axis_label, GGML_MAX_DIMS>;

class graph_axes {
public:
    explicit graph_axes(const ggml_cgraph * graph);

    const std::vector<axis> & axes() const { return axes_; }

    // Of a node or of what a node reads. Dimensions of one element have none, nor do those of axes that are not usable.
    axis_labels labels_of(const ggml_tensor * t) const;
    bool        labelled(const ggml_tensor * t) const;

    // What is added to the scores of attention, or becomes that by copies and views alone.
    bool is_mask(const ggml_tensor * t) const { return masks_.contains(t); }

    // A node of the graph computes it or makes the view.
    bool in_graph(const ggml_tensor * t) const { return nodes_.contains(t); }

private:
    friend class axis_rules;

    std::vector<axis>                                    axes_;
    std::unordered_map<const ggml_tensor *, axis_labels> labels_;
    std::unordered_set<const ggml_tensor *>              masks_;
    std::unordered_set<const ggml_tensor *>              nodes_;
    std::unordered_set<const ggml_tensor *>              written_;  // roots outside of the graph
};

}  // namespace ggml_directx::onnx
