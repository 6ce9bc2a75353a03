#pragma once

#include "onnx/device.h"

#include <chrono>
#include <list>
#include <vector>

namespace ggml_directx::onnx {

// Numbers for people, and for the tests.
struct stream_statistics {
    uint64_t graphs     = 0;  // computed
    uint64_t repeated   = 0;  // handed over again unchanged: no translation
    uint64_t translated = 0;
    uint64_t compiled   = 0;  // sessions made for this stream
    uint64_t fallbacks  = 0;  // graphs that the CPU backend computed instead
    double   overhead   = 0;  // seconds outside of sessions, in graphs whose session was there
    uint64_t cached     = 0;  // those graphs
};

// What a ggml backend (stream) of a device carries. Not thread-safe, as ggml's backends are not.
class stream_context {
public:
    explicit stream_context(ggml_backend_dev_t dev) : device_(context_of(dev)) {}
    ~stream_context();

    ggml_status compute(ggml_cgraph * graph);

    device_context & device() { return device_; }

private:
    struct known_run {
        uint64_t             uid;
        uint64_t             generation;
        std::unique_ptr<run> work;
    };

    void        execute(run & work);
    void        compute_by_sessions(const ggml_cgraph * graph);
    ggml_status compute_by_cpu(ggml_cgraph * graph);
    bool        has_failed(const ggml_cgraph * graph) const;

    device_context &         device_;
    std::list<known_run>     runs_;    // the last used first
    std::vector<fingerprint> failed_;  // graphs that are the CPU's from now on
    ggml_backend_t           cpu_        = nullptr;
    bool                     warned_     = false;
    uint64_t                 executions_ = 0;
    stream_statistics        statistics_;
};

}  // namespace ggml_directx::onnx
