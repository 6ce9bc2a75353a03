#include "ggml/guard.h"
#include "onnx/device.h"

namespace ggml_directx::onnx {

namespace {

const char * get_name(ggml_backend_buffer_type_t buft) {
    return context_of(buft->device).name().c_str();
}

// ggml's CPU buffers do the work; these only tell the device when weights change or go.

ggml_backend_buffer_i cpu_interface;

void forget(ggml_backend_buffer_t buffer, const void * begin, size_t size) {
    if (buffer->usage == GGML_BACKEND_BUFFER_USAGE_WEIGHTS) {
        guarded(__func__, [&] { context_of(buffer->buft->device).forget(begin, size); });
    }
}

void free_buffer(ggml_backend_buffer_t buffer) {
    forget(buffer, buffer->iface.get_base(buffer), buffer->size);
    cpu_interface.free_buffer(buffer);
}

void free_nothing(ggml_backend_buffer_t buffer) {
    forget(buffer, buffer->iface.get_base(buffer), buffer->size);
}

void set_tensor(ggml_backend_buffer_t buffer, ggml_tensor * tensor, const void * data, size_t offset, size_t size) {
    forget(buffer, tensor->data, ggml_nbytes(tensor));
    cpu_interface.set_tensor(buffer, tensor, data, offset, size);
}

void memset_tensor(ggml_backend_buffer_t buffer, ggml_tensor * tensor, uint8_t byte, size_t offset, size_t size) {
    forget(buffer, tensor->data, ggml_nbytes(tensor));
    cpu_interface.memset_tensor(buffer, tensor, byte, offset, size);
}

bool cpy_tensor(ggml_backend_buffer_t buffer, const ggml_tensor * src, ggml_tensor * dst) {
    forget(buffer, dst->data, ggml_nbytes(dst));
    return cpu_interface.cpy_tensor(buffer, src, dst);
}

void clear(ggml_backend_buffer_t buffer, uint8_t value) {
    forget(buffer, buffer->iface.get_base(buffer), buffer->size);
    cpu_interface.clear(buffer, value);
}

ggml_backend_buffer_t adopt(ggml_backend_buffer_t buffer, ggml_backend_buffer_type_t buft, bool owned) {
    if (!buffer) {
        return nullptr;
    }
    cpu_interface.free_buffer   = owned ? buffer->iface.free_buffer : cpu_interface.free_buffer;
    cpu_interface.set_tensor    = buffer->iface.set_tensor;
    cpu_interface.memset_tensor = buffer->iface.memset_tensor;
    cpu_interface.cpy_tensor    = buffer->iface.cpy_tensor;
    cpu_interface.clear         = buffer->iface.clear;
    buffer->buft                = buft;
    buffer->iface.free_buffer   = owned ? free_buffer : free_nothing;
    buffer->iface.set_tensor    = set_tensor;
    buffer->iface.memset_tensor = memset_tensor;
    buffer->iface.cpy_tensor    = cpy_tensor;
    buffer->iface.clear         = clear;
    return buffer;
}

ggml_backend_buffer_t alloc_buffer(ggml_backend_buffer_type_t buft, size_t size) {
    return adopt(ggml_backend_buft_alloc_buffer(ggml_backend_cpu_buffer_type(), size), buft, true);
}

size_t get_alignment(ggml_backend_buffer_type_t) {
    return 64;  // what ONNX Runtime's own memory has
}

bool is_host(ggml_backend_buffer_type_t) {
    return true;
}

constexpr ggml_backend_buffer_type_i buffer_type_interface = {
    .get_name       = get_name,
    .alloc_buffer   = alloc_buffer,
    .get_alignment  = get_alignment,
    .get_max_size   = nullptr,
    .get_alloc_size = nullptr,
    .is_host        = is_host,
};

}  // namespace

void init_buffer_type(device_context & ctx, ggml_backend_dev_t dev) {
    ctx.buffer_type = { .iface = buffer_type_interface, .device = dev, .context = nullptr };
}

ggml_backend_buffer_t buffer_from_host_ptr(ggml_backend_dev_t dev, void * data, size_t size, size_t) {
    return adopt(ggml_backend_cpu_buffer_from_ptr(data, size), &context_of(dev).buffer_type, false);
}

}  // namespace ggml_directx::onnx
