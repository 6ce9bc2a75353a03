#pragma once

#include "onnx/device.h"
#include "onnx/padding.h"

#include <chrono>
#include <list>
#include <vector>

namespace ggml_directx::onnx {

// Numbers for people, and for the tests.
struct stream_statistics {
    uint64_t graphs     = 0;  // computed
    uint64_t repeated   = 0;  // handed over again unchanged: no translation
    uint64_t translated = 0;
    uint64_t compiled   = 0;  // sessions made for the device while the stream lived
    uint64_t fallbacks  = 0;  // graphs that the CPU backend computed instead
    double   overhead   = 0;  // seconds outside of sessions, in graphs whose session was there
    uint64_t cached     = 0;  // those graphs
};

// What a ggml backend (stream) of a device carries. Not thread-safe, as ggml's backends are not.
class stream_context {
public:
    explicit stream_context(ggml_backend_dev_t dev) : device_(context_of(dev)), compiled_before_(device_.sessions().compiled()) {}
    ~stream_context();

    ggml_status compute(ggml_cgraph * graph);

    device_context & device() { return device_; }

private:
    struct graph_run {
        uint64_t                      uid        = 0;
        uint64_t                      generation = 0;
        std::unique_ptr<padded_graph> padding;  // none where shapes need not be fixed, or fit as they are
        std::unique_ptr<run>          work;     // none for a graph without results
    };

    graph_run   translate(const ggml_cgraph * graph);
    void        compile_ahead(const ggml_cgraph * graph);
    void        execute(const graph_run & r);
    void        compute_by_sessions(const ggml_cgraph * graph);
    ggml_status compute_by_cpu(ggml_cgraph * graph);
    bool        has_failed(const ggml_cgraph * graph) const;

    device_context &         device_;
    const uint64_t           compiled_before_;
    std::list<graph_run>     runs_;      // the last used first
    fingerprint              ahead_of_;  // the shapes whose successor is compiled already
    std::vector<fingerprint> failed_;    // graphs that are the CPU's from now on
    ggml_backend_t           cpu_        = nullptr;
    bool                     warned_     = false;
    uint64_t                 executions_ = 0;
    stream_statistics        statistics_;
};

}  // namespace ggml_directx::onnx
