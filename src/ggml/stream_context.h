#pragma once

#include "ggml/plan_cache.h"
#include "graph/pacer.h"

#include "ggml-backend-impl.h"

#include <chrono>

namespace ggml_directx {

class device_context;

// What a ggml backend (stream) of ours carries: a queue and its plans. Not thread-safe, as ggml's backends are not.
class stream_context {
public:
    explicit stream_context(device_context & dev);
    ~stream_context();

    // Submits the graph; returns before it is done.
    void compute(const ggml_cgraph * graph);
    void synchronize();

    // The queue, made to wait for the device's transfers, for a copy that is submitted next.
    d3d12::stream & queue();
    // To be called after copies.
    d3d12::sync_point flush();

    device_context &        device() { return device_; }
    const plan_statistics & statistics() const { return plans_.statistics(); }

private:
    device_context &  device_;
    d3d12::stream     queue_;
    d3d12::sync_point seen_transfers_;
    plan_cache        plans_;
    pacer             pacer_;

    // The batch being timed for the pacer: only one that found the queue idle counts.
    bool                                  idle_       = true;
    bool                                  timing_     = false;
    uint64_t                              timed_work_ = 0;
    std::chrono::steady_clock::time_point started_;
};

// Creates the ggml backend of a device; null, after a log line, if that fails.
ggml_backend_t make_stream(ggml_backend_dev_t dev);

}  // namespace ggml_directx
