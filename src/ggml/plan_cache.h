#pragma once

#include "d3d12/stream.h"
#include "graph/plan.h"

#include <memory>
#include <vector>

namespace ggml_directx {

// A plan in a device's own terms: closed command lists, and the constants they read.
struct recorded_plan {
    plan                                           source;
    fingerprint                                    graph;  // of the graph it last served
    uint64_t                                       graph_uid = 0;
    std::vector<std::unique_ptr<d3d12::recording>> parts;
    uint64_t                                       part_budget = 0;  // the work that a part was allowed
    uint64_t                                       work        = 0;
    std::unique_ptr<d3d12::buffer>                 args;
    d3d12::sync_point                              last;      // its latest submission
    uint64_t                                       used = 0;  // when, in submissions of the stream
};

struct plan_statistics {
    uint64_t replayed = 0;  // equal graph: closed lists submitted again
    uint64_t updated  = 0;  // equal structure: constants rewritten, lists submitted again
    uint64_t recorded = 0;
    uint64_t evicted  = 0;
};

// The recorded plans of one stream, bounded, the longest unused evicted first. Not thread-safe.
class plan_cache {
public:
    static constexpr size_t max_plans = 48;

    plan_cache(d3d12::device & dev, d3d12::stream & stream);
    ~plan_cache();  // waits for plans in flight

    // The plan for a graph: found, updated or made. Throws what make_plan and the d3d12 layer throw.
    recorded_plan & get(const ggml_cgraph * graph, uint64_t part_budget);

    const plan_statistics & statistics() const { return statistics_; }

private:
    void record(recorded_plan & p, uint64_t part_budget);
    void upload_args(recorded_plan & p);
    void reserve_scratch(uint64_t size);
    void evict();

    d3d12::device &                             device_;
    d3d12::stream &                             stream_;
    std::vector<std::unique_ptr<recorded_plan>> plans_;
    std::unique_ptr<d3d12::buffer>              scratch_;
    uint64_t                                    clock_ = 0;
    plan_statistics                             statistics_;
};

}  // namespace ggml_directx
