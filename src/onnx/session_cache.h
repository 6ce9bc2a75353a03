#pragma once

#include "onnx/session.h"

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

namespace ggml_directx::onnx {

// The compiled sessions of a device, bounded, the longest unused evicted first. Thread-safe.
class session_cache {
public:
    static constexpr size_t max_sessions = 48;

    // `fixed_shapes`: every session has the shapes that it is compiled for.
    session_cache(const runtime & rt, ep_device dev, weight_store & weights, bool fixed_shapes)
        : runtime_(rt), device_(std::move(dev)), weights_(weights), fixed_shapes_(fixed_shapes) {}

    bool fixed_shapes() const { return fixed_shapes_; }

    // A session that serves the model: found or compiled. A second model of one structure gets a session that takes the
    // numbers and shapes in which the two differ at each run, unless all shapes are to be fixed. Throws error.
    std::shared_ptr<session> get(const model & m);

    // Compiles a session for the model in the background, unless there is one or another is being compiled. The model's weights
    // must stay where they are until settle() or clear().
    void prepare(model m);

    // Waits for what is being compiled.
    void settle();

    // Drops sessions; those that run go when they are done.
    void clear();

    // Changes with clear(): what was made of sessions before is stale.
    uint64_t generation() const { return generation_; }
    uint64_t compiled() const { return compiled_; }

private:
    std::shared_ptr<session> compile(const model & m, std::vector<bool> free, uint64_t attempt);
    std::shared_ptr<session> find(const model & m);
    void                     keep(std::shared_ptr<session> s);
    void                     collect(bool wait);

    const runtime &                       runtime_;
    const ep_device                       device_;
    weight_store &                        weights_;
    const bool                            fixed_shapes_;
    std::mutex                            mutex_;
    std::vector<std::shared_ptr<session>> sessions_;  // the last used at the end
    std::future<std::shared_ptr<session>> pending_;   // null if it could not be compiled: the graph's own turn will tell why
    uint64_t                              attempts_   = 0;
    std::atomic<uint64_t>                 generation_ = 0;
    std::atomic<uint64_t>                 compiled_   = 0;
};

}  // namespace ggml_directx::onnx
