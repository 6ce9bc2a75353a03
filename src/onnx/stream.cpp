#include "onnx/stream.h"

#include "environment.h"
#include "fault.h"
#include "ggml/guard.h"

#include "ggml-impl.h"

#include <algorithm>

namespace ggml_directx::onnx {

namespace {

// Graphs that ggml may hand over again unchanged: the parts of a few batches.
constexpr size_t max_runs = 16;

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) {
    return std::chrono::duration<double>(clock::now() - start).count();
}

// What decides whether a graph can be computed: its ops and shapes, wherever they lie.
fingerprint shape_print(const ggml_cgraph * graph) {
    hasher h;
    for (int i = 0; i < graph->n_nodes; ++i) {
        const ggml_tensor * node = graph->nodes[i];
        h.add(uint64_t(node->op) << 32 | uint64_t(node->type));
        for (int64_t n : node->ne) {
            h.add(uint64_t(n));
        }
        h.add_bytes({ reinterpret_cast<const uint8_t *>(node->op_params), sizeof(node->op_params) });
    }
    return h.result();
}

// `padding`: null to take the graph as it is.
model model_of(const ggml_cgraph * graph, padded_graph * padding, const target & to) {
    std::vector<const ggml_tensor *> results = results_of(graph);
    const auto                       twin_of = [&](const ggml_tensor * t) { return padding ? padding->twin_of(t) : t; };
    if (padding) {
        padding->allocate(results);
    }
    std::transform(results.begin(), results.end(), results.begin(), twin_of);
    model      m;
    translator t(m, to);
    for (int i = 0; i < graph->n_nodes; ++i) {
        const ggml_tensor * node = graph->nodes[i];
        if (!is_view(node) && !ggml_is_empty(node) && (node->flags & GGML_TENSOR_FLAG_COMPUTE) != 0) {
            t.add(twin_of(node));
        }
    }
    t.finish(results);
    return m;
}

// ggml's CPU backend is not in ggml-base: it is the program's, if it has one.
ggml_backend_t find_cpu() {
    using init_function = ggml_backend_t (*)(enum ggml_backend_dev_type, const char *);
    const auto init     = reinterpret_cast<init_function>(find_in_process("ggml.dll", "ggml_backend_init_by_type"));
    return init ? init(GGML_BACKEND_DEVICE_TYPE_CPU, nullptr) : nullptr;
}

}  // namespace

stream_context::~stream_context() {
    device_.sessions().settle();  // nothing may be compiled while the process ends
    statistics_.compiled = device_.sessions().compiled() - compiled_before_;
    if (statistics_.graphs > 0) {
        const double each = statistics_.cached ? statistics_.overhead / double(statistics_.cached) : 0.0;
        const auto   log  = [&](auto print) { print(statistics_, each); };
        log([&](const stream_statistics & s, double overhead) {
            if (env().profile || s.fallbacks > 0) {
                LOG_DX_INFO(
                    "%s: %llu graphs, %llu unchanged, %llu sessions compiled, %llu computed by the CPU instead, %.0f us of overhead each",
                    device_.name().c_str(), (unsigned long long)s.graphs, (unsigned long long)s.repeated, (unsigned long long)s.compiled,
                    (unsigned long long)s.fallbacks, overhead * 1e6);
            }
        });
    }
    if (cpu_) {
        ggml_backend_free(cpu_);
    }
}

bool stream_context::has_failed(const ggml_cgraph * graph) const {
    return !failed_.empty() && std::find(failed_.begin(), failed_.end(), shape_print(graph)) != failed_.end();
}

void stream_context::execute(const graph_run & r) {
    if (!r.work) {
        return;
    }
    if (fault_due("run", ++executions_)) {
        throw error("a fault was asked for");
    }
    if (r.padding) {
        r.padding->fill();
    }
    r.work->execute();
    if (r.padding) {
        r.padding->drain();
    }
}

stream_context::graph_run stream_context::translate(const ggml_cgraph * graph) {
    graph_run r{ .uid = graph->uid, .generation = device_.sessions().generation(), .padding = nullptr, .work = nullptr };
    if (device_.sessions().fixed_shapes()) {
        r.padding = std::make_unique<padded_graph>(graph);
        LOG_DX_DEBUG("%s: %d nodes, %s", device_.name().c_str(), graph->n_nodes, r.padding->description().c_str());
        if (r.padding->outgrown()) {
            compile_ahead(graph);
        }
        if (!r.padding->grows()) {
            r.padding.reset();
        }
    }
    const model m = model_of(graph, r.padding.get(), device_.to());
    ++statistics_.translated;
    if (!m.outputs().empty()) {
        r.work = std::make_unique<run>(device_.sessions().get(m), m);
    }
    return r;
}

// The session that a longer text will need is compiled while this one's runs.
void stream_context::compile_ahead(const ggml_cgraph * graph) {
    const fingerprint shapes = shape_print(graph);
    if (shapes == ahead_of_) {
        return;
    }
    ahead_of_ = shapes;
    padded_graph next(graph, true);
    device_.sessions().prepare(model_of(graph, &next, device_.to()));
}

void stream_context::compute_by_sessions(const ggml_cgraph * graph) {
    const auto     start    = clock::now();
    const uint64_t compiled = device_.sessions().compiled();
    // ggml gives a graph that it hands over again unchanged the same non-zero id
    const auto           known = std::find_if(runs_.begin(), runs_.end(), [&](const graph_run & r) {
        return graph->uid != 0 && r.uid == graph->uid && r.generation == device_.sessions().generation();
    });
    std::list<graph_run> now;
    if (known != runs_.end()) {
        now.splice(now.begin(), runs_, known);
        ++statistics_.repeated;
    } else {
        now.push_back(translate(graph));
    }
    if (compiled == device_.sessions().compiled()) {
        statistics_.overhead += seconds_since(start);
        ++statistics_.cached;
    }
    execute(now.front());
    if (graph->uid != 0) {
        runs_.splice(runs_.begin(), now);
        if (runs_.size() > max_runs) {
            runs_.pop_back();
        }
    }
}

ggml_status stream_context::compute_by_cpu(ggml_cgraph * graph) {
    ++statistics_.fallbacks;
    if (!cpu_ && !fault_wanted("no-fallback")) {
        cpu_ = find_cpu();
    }
    return cpu_ ? ggml_backend_graph_compute(cpu_, graph) : GGML_STATUS_FAILED;
}

ggml_status stream_context::compute(ggml_cgraph * graph) {
    ++statistics_.graphs;
    if (has_failed(graph)) {
        return compute_by_cpu(graph);
    }
    std::string why;
    try {
        compute_by_sessions(graph);
        return GGML_STATUS_SUCCESS;
    } catch (const std::bad_alloc &) {
        why = "out of memory";
    } catch (const std::exception & e) {
        why = e.what();
    }
    // Nothing of ggml's memory was changed unless the session ran; whatever it wrote is computed again.
    failed_.push_back(shape_print(graph));
    if (!warned_) {
        LOG_DX_WARN("%s: ggml's CPU backend computes a part of the graph instead: %s", device_.name().c_str(), why.c_str());
        warned_ = true;
    } else {
        LOG_DX_DEBUG("%s: ggml's CPU backend computes a part of the graph instead: %s", device_.name().c_str(), why.c_str());
    }
    return compute_by_cpu(graph);
}

namespace {

stream_context & context_of(ggml_backend_t backend) {
    return *static_cast<stream_context *>(backend->context);
}

const char * get_name(ggml_backend_t backend) {
    return context_of(backend).device().name().c_str();
}

void free_stream(ggml_backend_t backend) {
    delete &context_of(backend);
    delete backend;
}

ggml_status graph_compute(ggml_backend_t backend, ggml_cgraph * graph) {
    return guarded(__func__, GGML_STATUS_FAILED, [&] { return context_of(backend).compute(graph); });
}

// No asynchronous functions: results are there when graph_compute returns.
constexpr ggml_backend_i stream_interface = {
    .get_name            = get_name,
    .free                = free_stream,
    .set_tensor_async    = nullptr,
    .get_tensor_async    = nullptr,
    .set_tensor_2d_async = nullptr,
    .get_tensor_2d_async = nullptr,
    .cpy_tensor_async    = nullptr,
    .synchronize         = nullptr,
    .graph_plan_create   = nullptr,
    .graph_plan_free     = nullptr,
    .graph_plan_update   = nullptr,
    .graph_plan_compute  = nullptr,
    .graph_compute       = graph_compute,
    .event_record        = nullptr,
    .event_wait          = nullptr,
    .graph_optimize      = nullptr,
};

// Names this kind of backend among all of ggml's.
ggml_guid guid = { 0x64, 0x69, 0x72, 0x65, 0x63, 0x74, 0x78, 0x4f, 0x4e, 0x4e, 0x58, 0x1b, 0x5a, 0x92, 0x37, 0xc4 };

}  // namespace

ggml_backend_t make_stream(ggml_backend_dev_t dev) {
    return guarded(__func__, ggml_backend_t(nullptr), [&] {
        auto ctx = std::make_unique<stream_context>(dev);
        return new ggml_backend{ .guid = &guid, .iface = stream_interface, .device = dev, .context = ctx.release() };
    });
}

}  // namespace ggml_directx::onnx
