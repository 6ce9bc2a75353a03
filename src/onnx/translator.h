#pragma once

// A ggml graph, node by node, as an ONNX model. Every tensor's value has ggml's four dimensions, outermost first; what
// tensors share memory is followed by the tensor at the root of their views.

#include "environment.h"
#include "onnx/model.h"

#include "ggml-impl.h"

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace ggml_directx::onnx {

// Thrown for what the engine has no translation of. Caught by supports() and by graph_compute.
class unsupported : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

inline void require(bool condition, const char * what) {
    if (!condition) {
        throw unsupported(what);
    }
}

// What an execution provider wants, as far as the translation depends on it.
struct target {
    bool          nbits  = true;  // it has MatMulNBits
    weight_policy policy = weight_policy::exact;
};

class translator {
public:
    translator(model & m, const target & to) : out(m), to_(to) {}

    // Appends a node that is no view. Throws unsupported.
    void add(const ggml_tensor * node);

    // Declares outputs: the results, each at the root of its views, and what was written to memory that was there before.
    void finish(std::span<const ggml_tensor * const> results);

    // For the emitters of ops:

    // A tensor's value, in its own type; a quantised one as f32.
    value read(const ggml_tensor * t);
    value read_f32(const ggml_tensor * t) { return cast(read(t), element::f32); }

    // Sets what a node computes: any element type, shape [ne3, ne2, ne1, ne0] of the tensor.
    void write(const ggml_tensor * t, value v);

    // Sets what a node makes of all the memory of a tensor's root; `shape`: the value's own, with as many elements as the
    // root. `base`: the root's value that it is an update of.
    void write_root(const ggml_tensor * t, value v, dims shape, value base);

    // Memory that was there before is best taken as a matrix of this shape, if nothing has read it yet.
    void expect_rows(const ggml_tensor * root, const dims & shape);

    // The tensor is a constant of the model, which sessions may keep in a form of their own.
    static bool is_weight(const ggml_tensor * t);
    value       weight(const ggml_tensor * t, weight_form form, element type, dims shape, int bits = 0, int block = 0, bool fresh = false);

    static dims shape_of(const ggml_tensor * t) { return { t->ne[3], t->ne[2], t->ne[1], t->ne[0] }; }

    // True for what a node of this graph has computed.
    bool computed(const ggml_tensor * t) const {
        const auto it = memories_.find(t);
        return it != memories_.end() && !it->second.external;
    }

    value cast(value v, element type);
    value reshape(value v, dims to);
    value transpose(value v, std::vector<int64_t> permutation);
    value slice(value v, int64_t axis, int64_t begin, int64_t end);
    value concat(std::vector<value> parts, int64_t axis);

    value op(const char * name, std::vector<value> inputs, std::vector<attribute> attributes = {}) {
        return out.add(name, std::move(inputs), std::move(attributes));
    }
    value microsoft(const char * name, std::vector<value> inputs, std::vector<attribute> attributes = {}) {
        return out.add(name, std::move(inputs), std::move(attributes), element::none, model::microsoft_domain);
    }
    value scalar(float x) { return out.scalar(x); }

    const target & to() const { return to_; }

    model & out;

private:
    // Memory that tensors share, by the tensor that views are made of.
    struct memory {
        value current;
        dims  shape;             // of `current`
        bool  external = false;  // was there before the graph
        bool  modified = false;
        value original;  // external: as it was
        value base;      // external and modified by one update: what the update was given
        int   updates = 0;
        int   version = 0;
        // External memory of which only parts were written, each an output of its own; `current` lacks those from `applied`.
        std::vector<std::pair<const ggml_tensor *, value>> parts;
        size_t                                             applied = 0;
    };

    struct reading {
        value v;
        int   version = 0;
    };

    memory & memory_of(const ggml_tensor * t, const dims & shape = {});
    value    view(const memory & m, const ggml_tensor * t);
    value    gather_view(const memory & m, const ggml_tensor * t);
    void     apply_parts(memory & m);
    value    updated(const memory & m, const ggml_tensor * t, value v);
    void     output_tensor(const ggml_tensor * root, const memory & m);

    const target &                                   to_;
    std::unordered_map<const ggml_tensor *, memory>  memories_;
    std::vector<const ggml_tensor *>                 order_;  // of memories_
    std::unordered_map<const ggml_tensor *, reading> readings_;
};

// ONNX's element type for a ggml type; f32 for quantised ones, none for what ONNX has no type for.
element element_of(ggml_type type);

inline const ggml_tensor * root_of(const ggml_tensor * t) {
    return t->view_src ? t->view_src : t;
}

inline bool is_view(const ggml_tensor * t) {
    return t->op == GGML_OP_NONE || t->op == GGML_OP_RESHAPE || t->op == GGML_OP_VIEW || t->op == GGML_OP_PERMUTE ||
           t->op == GGML_OP_TRANSPOSE;
}

inline float float_param(const ggml_tensor * t, int i) {
    float v;
    std::memcpy(&v, &t->op_params[i], sizeof(v));
    return v;
}

// What others may read of a graph's results: what is used outside of it or nowhere. Roots of views, each once.
std::vector<const ggml_tensor *> results_of(const ggml_cgraph * graph);

// True if the node alone can be translated: the same code that translates it, run for the answer alone.
bool supports(const target & to, const ggml_tensor * node);

}  // namespace ggml_directx::onnx
