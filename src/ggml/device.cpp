#include "ggml/device.h"

#include "ggml/buffer.h"
#include "ggml/guard.h"
#include "ggml/stream_context.h"
#include "ops/op_table.h"

namespace ggml_directx {

namespace {

const char * get_name(ggml_backend_dev_t dev) {
    return context_of(dev).name().c_str();
}

const char * get_description(ggml_backend_dev_t dev) {
    return context_of(dev).description().c_str();
}

void get_memory(ggml_backend_dev_t dev, size_t * free, size_t * total) {
    *free  = 0;
    *total = 0;
    guarded(__func__, [&] {
        const d3d12::memory_budget b = context_of(dev).device().budget();
        *total                       = b.budget;
        *free                        = b.budget > b.usage ? b.budget - b.usage : 0;
    });
}

enum ggml_backend_dev_type get_type(ggml_backend_dev_t dev) {
    // A software adapter is offered only where it is asked for or the only one: then programs should treat it as a GPU.
    return context_of(dev).device().info().type == d3d12::adapter_type::integrated ? GGML_BACKEND_DEVICE_TYPE_IGPU
                                                                                   : GGML_BACKEND_DEVICE_TYPE_GPU;
}

void get_props(ggml_backend_dev_t dev, ggml_backend_dev_props * props) {
    props->name        = get_name(dev);
    props->description = get_description(dev);
    props->type        = get_type(dev);
    props->device_id   = nullptr;
    get_memory(dev, &props->memory_free, &props->memory_total);
    props->caps = {
        .async                = true,
        .host_buffer          = true,
        .buffer_from_host_ptr = false,
        .events               = true,
        .mmap_support         = true,
    };
}

ggml_backend_t init_backend(ggml_backend_dev_t dev, const char *) {
    return make_stream(dev);
}

ggml_backend_buffer_type_t get_buffer_type(ggml_backend_dev_t dev) {
    return &context_of(dev).buffer_type;
}

ggml_backend_buffer_type_t get_host_buffer_type(ggml_backend_dev_t dev) {
    return &context_of(dev).host_buffer_type;
}

bool supports_op(ggml_backend_dev_t dev, const ggml_tensor * op) {
    return guarded(__func__, false, [&] {
        d3d12::device & d = context_of(dev).device();
        return supports(d.library(), d.caps(), op);
    });
}

bool supports_buft(ggml_backend_dev_t dev, ggml_backend_buffer_type_t buft) {
    return buft == get_buffer_type(dev);
}

// How many rows share the weights: below this, moving the weights to the device costs more than computing on the CPU.
constexpr int64_t offload_min_batch = 32;

bool offload_op(ggml_backend_dev_t, const ggml_tensor * op) {
    switch (op->op) {
        case GGML_OP_GET_ROWS: return false;
        case GGML_OP_MUL_MAT: return op->ne[1] >= offload_min_batch;
        case GGML_OP_MUL_MAT_ID: return op->ne[2] >= offload_min_batch;
        default: return ggml_nrows(op) >= offload_min_batch;
    }
}

ggml_backend_event_t event_new(ggml_backend_dev_t dev) {
    return guarded(__func__, ggml_backend_event_t(nullptr), [&] {
        auto point = std::make_unique<d3d12::sync_point>();
        return new ggml_backend_event{ .device = dev, .context = point.release() };
    });
}

void event_free(ggml_backend_dev_t, ggml_backend_event_t event) {
    delete static_cast<d3d12::sync_point *>(event->context);
    delete event;
}

void event_synchronize(ggml_backend_dev_t dev, ggml_backend_event_t event) {
    guarded(__func__, [&] {
        const d3d12::sync_point & point = *static_cast<d3d12::sync_point *>(event->context);
        if (point.fence) {
            context_of(dev).synchronize(point);
        }
    });
}

constexpr ggml_backend_device_i device_interface = {
    .get_name             = get_name,
    .get_description      = get_description,
    .get_memory           = get_memory,
    .get_type             = get_type,
    .get_props            = get_props,
    .init_backend         = init_backend,
    .get_buffer_type      = get_buffer_type,
    .get_host_buffer_type = get_host_buffer_type,
    .buffer_from_host_ptr = nullptr,
    .supports_op          = supports_op,
    .supports_buft        = supports_buft,
    .offload_op           = offload_op,
    .event_new            = event_new,
    .event_free           = event_free,
    .event_synchronize    = event_synchronize,
};

}  // namespace

ggml_backend_device make_device(ggml_backend_reg_t reg, device_context & ctx) {
    return { .iface = device_interface, .reg = reg, .context = &ctx };
}

}  // namespace ggml_directx
