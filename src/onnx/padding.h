#pragma once

// A graph with the sizes that grow rounded up, so that a few sessions of fixed shapes serve every batch and every length of a
// text. More rows repeat the last one, so what they write falls where it wrote; more columns are masked.

#include "onnx/axes.h"

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace ggml_directx::onnx {

// What a size is rounded up to. Every bucket is a session to compile, which takes an NPU's compiler seconds, so they are few:
// for rows 1, 8, 32, 128, 512 and multiples of 512; for columns powers of two from 512, or all that there is room for.
int64_t bucket_of(const axis & a);

// Not thread-safe. Keeps pointers into the graph.
class padded_graph {
public:
    // `ahead`: as the graph will be when it has outgrown its bucket of columns.
    explicit padded_graph(const ggml_cgraph * graph, bool ahead = false);

    // A tensor of the padded graph for one of the graph's, which may be the same one.
    const ggml_tensor * twin_of(const ggml_tensor * t) const;

    // False: every tensor is its own twin.
    bool grows() const { return grows_; }

    // For people: the sizes and what they are rounded up to.
    std::string description() const;

    // The next columns need another bucket, and there is room for one.
    bool outgrown() const { return outgrown_; }

    // Before and after a run: copies what is read into the padded memory, and the results out of it. `results`: roots.
    void allocate(std::span<const ggml_tensor * const> results);
    void fill();
    void drain() const;

private:
    struct copied {
        const ggml_tensor *  original;
        ggml_tensor *        padded;
        std::vector<uint8_t> memory;
        axis_labels          labels;
        bool                 mask;
    };

    void make(const ggml_tensor * t);
    void lay_out(const ggml_tensor * t, ggml_tensor & twin);

    graph_axes                                             axes_;
    std::vector<int64_t>                                   sizes_;  // of the axes
    bool                                                   grows_    = false;
    bool                                                   outgrown_ = false;
    std::deque<ggml_tensor>                                storage_;
    std::unordered_map<const ggml_tensor *, ggml_tensor *> twins_;
    std::vector<copied>                                    inputs_;
    std::vector<copied>                                    results_;
};

}  // namespace ggml_directx::onnx
