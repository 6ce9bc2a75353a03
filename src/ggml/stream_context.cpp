#include "ggml/stream_context.h"

#include "ggml/buffer.h"
#include "ggml/device_context.h"
#include "ggml/guard.h"

#include "ggml-impl.h"

namespace ggml_directx {

namespace {

// Until a device has shown its pace: what a slow member of its kind does per second, in multiply-adds or bytes.
double first_guess(const d3d12::adapter & a) {
    switch (a.type) {
        case d3d12::adapter_type::gpu: return 2e11;
        case d3d12::adapter_type::integrated: return 2e10;
        case d3d12::adapter_type::npu: return 2e10;
        case d3d12::adapter_type::software: return 2e9;
    }
    return 2e9;
}

}  // namespace

stream_context::stream_context(device_context & dev)
    : device_(dev), queue_(dev.device()), plans_(dev.device(), queue_), pacer_(first_guess(dev.device().info())) {}

stream_context::~stream_context() {
    device_.forget_stream(&queue_);
}

d3d12::stream & stream_context::queue() {
    device_.await_transfers(queue_, seen_transfers_);
    return queue_;
}

d3d12::sync_point stream_context::flush() {
    const d3d12::sync_point point = queue_.record();
    device_.note_progress(&queue_, point);
    return point;
}

void stream_context::compute(const ggml_cgraph * graph) {
    device_.await_transfers(queue_, seen_transfers_);
    recorded_plan & p = plans_.get(graph, pacer_.budget());
    if (p.parts.empty()) {
        return;
    }
    // A closed command list must not be submitted again while it runs.
    if (p.last.fence) {
        queue_.synchronize(p.last);
    }
    timing_ = idle_;
    if (timing_) {
        started_    = std::chrono::steady_clock::now();
        timed_work_ = p.work;
    }
    idle_ = false;
    for (const auto & part : p.parts) {
        p.last = queue_.submit(*part);
    }
    device_.note_progress(&queue_, p.last);
}

void stream_context::synchronize() {
    queue_.synchronize();
    if (timing_) {
        pacer_.observe(timed_work_, std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count());
        timing_ = false;
    }
    idle_ = true;
}

namespace {

stream_context & context_of(ggml_backend_t backend) {
    return *static_cast<stream_context *>(backend->context);
}

const char * get_name(ggml_backend_t backend) {
    return context_of(backend).device().name().c_str();
}

void free_stream(ggml_backend_t backend) {
    guarded(__func__, [&] { context_of(backend).synchronize(); });
    delete &context_of(backend);
    delete backend;
}

void set_tensor_2d_async(ggml_backend_t backend, ggml_tensor * tensor, const void * data, size_t offset, size_t size, size_t n_copies,
                         size_t stride_tensor, size_t stride_data) {
    guarded(__func__, [&] {
        context_of(backend).queue().upload_2d(memory_of(tensor), offset_of(tensor) + offset, data, size, n_copies, stride_tensor,
                                              stride_data);
        context_of(backend).flush();
    });
}

void get_tensor_2d_async(ggml_backend_t backend, const ggml_tensor * tensor, void * data, size_t offset, size_t size, size_t n_copies,
                         size_t stride_tensor, size_t stride_data) {
    guarded(__func__, [&] {
        context_of(backend).queue().readback_2d(memory_of(tensor), offset_of(tensor) + offset, data, size, n_copies, stride_tensor,
                                                stride_data);
        context_of(backend).flush();
    });
}

void set_tensor_async(ggml_backend_t backend, ggml_tensor * tensor, const void * data, size_t offset, size_t size) {
    set_tensor_2d_async(backend, tensor, data, offset, size, 1, size, size);
}

void get_tensor_async(ggml_backend_t backend, const ggml_tensor * tensor, void * data, size_t offset, size_t size) {
    get_tensor_2d_async(backend, tensor, data, offset, size, 1, size, size);
}

// Between streams of one device: copied in the source's order, and the destination waits on the GPU. Anything else is left
// to ggml, which then copies synchronously.
bool cpy_tensor_async(ggml_backend_t backend_src, ggml_backend_t backend_dst, const ggml_tensor * src, ggml_tensor * dst) {
    const ggml_backend_buffer * src_buffer = src->view_src ? src->view_src->buffer : src->buffer;
    const ggml_backend_buffer * dst_buffer = dst->view_src ? dst->view_src->buffer : dst->buffer;
    if (backend_src->device != backend_dst->device || !is_device_buffer(src_buffer) || !is_device_buffer(dst_buffer) ||
        src_buffer->buft->device != backend_src->device || dst_buffer->buft->device != backend_dst->device) {
        return false;
    }
    return guarded(__func__, [&] {
        stream_context & from = context_of(backend_src);
        stream_context & to   = context_of(backend_dst);
        if (&from != &to) {
            from.queue().wait(to.flush());  // the destination may still be read
        }
        from.queue().copy(memory_of(dst), offset_of(dst), memory_of(src), offset_of(src), ggml_nbytes(src));
        const d3d12::sync_point done = from.flush();
        if (&from != &to) {
            to.queue().wait(done);
        }
    });
}

void synchronize(ggml_backend_t backend) {
    guarded(__func__, [&] { context_of(backend).synchronize(); });
}

ggml_status graph_compute(ggml_backend_t backend, ggml_cgraph * graph) {
    try {
        context_of(backend).compute(graph);
        return GGML_STATUS_SUCCESS;
    } catch (const d3d12::error & e) {
        LOG_DX_ERROR("%s: %s", get_name(backend), e.what());
        return e.hr() == E_OUTOFMEMORY ? GGML_STATUS_ALLOC_FAILED : GGML_STATUS_FAILED;
    } catch (const std::bad_alloc &) {
        LOG_DX_ERROR("%s: out of system memory", get_name(backend));
        return GGML_STATUS_ALLOC_FAILED;
    } catch (const std::exception & e) {
        LOG_DX_ERROR("%s: %s", get_name(backend), e.what());
        return GGML_STATUS_FAILED;
    }
}

void event_record(ggml_backend_t backend, ggml_backend_event_t event) {
    guarded(__func__, [&] { *static_cast<d3d12::sync_point *>(event->context) = context_of(backend).flush(); });
}

// An event of another device cannot be waited for on this GPU; its fence can be on the CPU.
void event_wait(ggml_backend_t backend, ggml_backend_event_t event) {
    guarded(__func__, [&] {
        const d3d12::sync_point & point = *static_cast<d3d12::sync_point *>(event->context);
        if (!point.fence) {
            return;
        }
        if (event->device == backend->device) {
            context_of(backend).queue().wait(point);
        } else {
            ggml_directx::context_of(event->device).synchronize(point);
        }
    });
}

constexpr ggml_backend_i stream_interface = {
    .get_name            = get_name,
    .free                = free_stream,
    .set_tensor_async    = set_tensor_async,
    .get_tensor_async    = get_tensor_async,
    .set_tensor_2d_async = set_tensor_2d_async,
    .get_tensor_2d_async = get_tensor_2d_async,
    .cpy_tensor_async    = cpy_tensor_async,
    .synchronize         = synchronize,
    .graph_plan_create   = nullptr,
    .graph_plan_free     = nullptr,
    .graph_plan_update   = nullptr,
    .graph_plan_compute  = nullptr,
    .graph_compute       = graph_compute,
    .event_record        = event_record,
    .event_wait          = event_wait,
    .graph_optimize      = nullptr,
};

// Names this kind of backend among all of ggml's.
ggml_guid guid = { 0x64, 0x69, 0x72, 0x65, 0x63, 0x74, 0x78, 0x12, 0x9a, 0x41, 0x5c, 0x0e, 0x71, 0xd3, 0x48, 0xb6 };

}  // namespace

ggml_backend_t make_stream(ggml_backend_dev_t dev) {
    return guarded(__func__, ggml_backend_t(nullptr), [&] {
        auto ctx = std::make_unique<stream_context>(ggml_directx::context_of(dev));
        return new ggml_backend{ .guid = &guid, .iface = stream_interface, .device = dev, .context = ctx.release() };
    });
}

}  // namespace ggml_directx
