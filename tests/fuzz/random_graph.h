#pragma once

// A random graph, built from a seed: the same one for every backend. Ops come from graph_ops(); what one computes, others
// read, through views at any offset, and some overwrite in place, so that a missing barrier shows as well as a wrong kernel.

#include "ggml-backend.h"
#include "ggml-cpp.h"
#include "ggml.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

using shape = std::array<int64_t, GGML_MAX_DIMS>;

class random_graph {
public:
    // `first`: the op, by its place in graph_ops(), that the graph begins with; up to `more` others are drawn.
    random_graph(uint64_t seed, size_t first, int more, ggml_backend_t backend);

    struct output {
        ggml_tensor * tensor;
        double        limit;  // of its normalised error, from those of all ops that it depends on
    };

    ggml_cgraph *               graph() const { return graph_; }
    const std::vector<output> & outputs() const { return outputs_; }

    // Ops that the backend does not support, which should be none.
    const std::vector<std::string> & refused() const { return refused_; }

    std::string describe() const;

    // Computes the graph, memory reused between nodes, from leaves that are filled from the seed. For each output its
    // elements, as floats where the type has some, else byte by byte. Empty if that fails.
    std::vector<std::vector<float>> run() const;

    // What the makers of ops draw with.
    ggml_context * ctx() const { return ctx_.get(); }
    uint64_t       below(uint64_t n) { return random_() % n; }
    int            between(int from, int to) { return from + int(below(uint64_t(to - from) + 1)); }
    bool           one_in(uint64_t n) { return below(n) == 0; }
    float          unit() { return float(below(2001)) / 1000.0f - 1.0f; }

    template <size_t n> ggml_type one_of(const ggml_type (&types)[n]) { return types[below(n)]; }
    int64_t                       one_of(std::initializer_list<int64_t> choices) { return choices.begin()[below(choices.size())]; }

    // Odd sizes; the second may be empty, but not in a graph's first op: ggml cannot allocate a graph of nothing.
    shape some_shape();
    shape some_shape_or_empty();

    // A new input, uniform between `low` and `high`.
    ggml_tensor * input(ggml_type type, const shape & ne, float low = -1.0f, float high = 1.0f);
    // I32 or I64 below `limit`; without repetition along dimension 0 if `distinct` (then ne[0] <= limit).
    ggml_tensor * indices(const shape & ne, int64_t limit, bool distinct = false, ggml_type type = GGML_TYPE_I32);
    // F32 that differ by a tenth at least within a row: what sorts and picks must not depend on roundings.
    ggml_tensor * distinct(const shape & ne);
    // F32, n rows of n elements: 1/sqrt(n) with signs that make them orthogonal. n is a power of two.
    ggml_tensor * hadamard(int64_t n);
    // A new input whose first dimension but one varies fastest in memory now and then; not on the CPU, which has no code
    // for images of that kind.
    ggml_tensor * image(ggml_type type, const shape & ne);

    // F32 between -1 and 1, contiguous: a new input, or a piece of what has been computed, from any element on; not of the
    // memory of `apart`.
    ggml_tensor * operand(const shape & ne, const ggml_tensor * apart = nullptr);
    // The same, with padded or permuted rows now and then. Elements of a row stay neighbours.
    ggml_tensor * strided(const shape & ne, const ggml_tensor * apart = nullptr);
    // The same of a new input: roundings tell nothing where small errors have come before.
    ggml_tensor * strided_input(const shape & ne);
    // An operand with gaps between rows that are otherwise contiguous.
    ggml_tensor * spaced(const shape & ne);
    // A part of what has been computed, to be overwritten: rows of neighbours, with gaps between them now and then. Null if
    // nothing has been computed yet.
    ggml_tensor * target();

private:
    enum class content { numbers, permutation, hadamard };

    struct leaf {
        ggml_tensor * tensor;
        content       what;
        float         low;  // of floats that are not distinct
        float         high;
        int64_t       limit;  // of integers, and of the places in a permutation
    };

    void          add(size_t op);
    bool          is_supported(const ggml_tensor * t) const;
    void          collect_outputs();
    void          fill(std::mt19937_64 & values, const leaf & l) const;
    ggml_tensor * new_leaf(ggml_type type, const shape & ne, content what, float low, float high, int64_t limit);
    ggml_tensor * pick();
    ggml_tensor * make_strided(const shape & ne, const std::function<ggml_tensor *(const shape &)> & make);

    ggml_backend_t             backend_;
    std::mt19937_64            random_;
    uint64_t                   value_seed_;
    ggml_context_ptr           ctx_;
    ggml_cgraph *              graph_ = nullptr;
    std::vector<ggml_tensor *> pool_;        // F32, contiguous, computed, between -1 and 1
    size_t                     latest_ = 0;  // index of what was picked last from the pool
    std::vector<ggml_tensor *> results_;     // what the makers returned, and its bounded versions
    std::vector<output>        outputs_;
    std::vector<leaf>          leaves_;
    std::vector<std::string>   refused_;

    std::vector<double>                     limits_;   // of the ops, in the order in which they were added
    std::map<const ggml_tensor *, uint64_t> origins_;  // for each node that is no view: bits of the ops that decide its value
};

struct graph_op {
    std::string name;
    double      limit;  // of the normalised error; 0: moves values that lie between -1 and 1, or makes integers

    // The node, its operands drawn from the graph. Null: not in this graph.
    std::function<ggml_tensor *(random_graph &)> make;
};

const std::vector<graph_op> & graph_ops();
