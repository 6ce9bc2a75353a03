#include "ggml/buffer.h"

#include "ggml/device_context.h"
#include "ggml/guard.h"

#include <algorithm>
#include <vector>

namespace ggml_directx {

namespace {

ggml_backend_buffer_t buffer_of(const ggml_tensor * tensor) {
    return tensor->view_src ? tensor->view_src->buffer : tensor->buffer;
}

// Buffers

void free_buffer(ggml_backend_buffer_t buffer) {
    guarded(__func__, [&] { context_of(buffer).synchronize_all(); });
    delete static_cast<d3d12::buffer *>(buffer->context);
}

void * get_base(ggml_backend_buffer_t) {
    return reinterpret_cast<void *>(fake_base);
}

void memset_tensor(ggml_backend_buffer_t buffer, ggml_tensor * tensor, uint8_t value, size_t offset, size_t size) {
    guarded(__func__, [&] {
        context_of(buffer).transfer([&](d3d12::stream & s) { s.fill(memory_of(tensor), offset_of(tensor) + offset, size, value); });
    });
}

void set_tensor(ggml_backend_buffer_t buffer, ggml_tensor * tensor, const void * data, size_t offset, size_t size) {
    guarded(__func__, [&] {
        context_of(buffer).transfer([&](d3d12::stream & s) { s.upload(memory_of(tensor), offset_of(tensor) + offset, data, size); });
    });
}

void get_tensor(ggml_backend_buffer_t buffer, const ggml_tensor * tensor, void * data, size_t offset, size_t size) {
    guarded(__func__, [&] {
        context_of(buffer).transfer([&](d3d12::stream & s) {
            s.readback(memory_of(tensor), offset_of(tensor) + offset, data, size);
            s.synchronize();
        });
    });
}

void set_tensor_2d(ggml_backend_buffer_t buffer, ggml_tensor * tensor, const void * data, size_t offset, size_t size, size_t n_copies,
                   size_t stride_tensor, size_t stride_data) {
    guarded(__func__, [&] {
        context_of(buffer).transfer([&](d3d12::stream & s) {
            s.upload_2d(memory_of(tensor), offset_of(tensor) + offset, data, size, n_copies, stride_tensor, stride_data);
        });
    });
}

void get_tensor_2d(ggml_backend_buffer_t buffer, const ggml_tensor * tensor, void * data, size_t offset, size_t size, size_t n_copies,
                   size_t stride_tensor, size_t stride_data) {
    guarded(__func__, [&] {
        context_of(buffer).transfer([&](d3d12::stream & s) {
            s.readback_2d(memory_of(tensor), offset_of(tensor) + offset, data, size, n_copies, stride_tensor, stride_data);
            s.synchronize();
        });
    });
}

// Device to device, the same device on the GPU, another through system memory. Other sources are left to ggml.
bool cpy_tensor(ggml_backend_buffer_t buffer, const ggml_tensor * src, ggml_tensor * dst) {
    if (!is_device_buffer(buffer_of(src))) {
        return false;
    }
    return guarded(__func__, [&] {
        device_context & from = context_of(buffer_of(src));
        device_context & to   = context_of(buffer);
        const size_t     size = ggml_nbytes(src);
        if (&from == &to) {
            to.transfer([&](d3d12::stream & s) { s.copy(memory_of(dst), offset_of(dst), memory_of(src), offset_of(src), size); });
            return;
        }
        std::vector<uint8_t> bytes(size);
        from.transfer([&](d3d12::stream & s) {
            s.readback(memory_of(src), offset_of(src), bytes.data(), size);
            s.synchronize();
        });
        to.transfer([&](d3d12::stream & s) { s.upload(memory_of(dst), offset_of(dst), bytes.data(), size); });
    });
}

void clear(ggml_backend_buffer_t buffer, uint8_t value) {
    guarded(__func__, [&] {
        context_of(buffer).transfer(
            [&](d3d12::stream & s) { s.fill(*static_cast<d3d12::buffer *>(buffer->context), 0, buffer->size, value); });
    });
}

constexpr ggml_backend_buffer_i buffer_interface = {
    .free_buffer   = free_buffer,
    .get_base      = get_base,
    .init_tensor   = nullptr,
    .memset_tensor = memset_tensor,
    .set_tensor    = set_tensor,
    .get_tensor    = get_tensor,
    .set_tensor_2d = set_tensor_2d,
    .get_tensor_2d = get_tensor_2d,
    .cpy_tensor    = cpy_tensor,
    .clear         = clear,
    .reset         = nullptr,
};

// The buffer type of device memory

const char * get_name(ggml_backend_buffer_type_t buft) {
    return context_of(buft->device).name().c_str();
}

ggml_backend_buffer_t alloc_buffer(ggml_backend_buffer_type_t buft, size_t size) {
    return guarded(__func__, ggml_backend_buffer_t(nullptr), [&] {
        std::unique_ptr<d3d12::buffer> memory = context_of(buft->device).device().allocate(size, d3d12::memory_kind::device);
        ggml_backend_buffer_t          buffer = ggml_backend_buffer_init(buft, buffer_interface, memory.get(), size);
        memory.release();
        return buffer;
    });
}

size_t get_alignment(ggml_backend_buffer_type_t) {
    return tensor_alignment;
}

// How far ggml fills a buffer with tensors; it asks for more only where a single one is larger. Memory managers move whole
// buffers in and out: they should not be all of a model.
size_t get_max_size(ggml_backend_buffer_type_t buft) {
    constexpr uint64_t wanted = (uint64_t(1) << 32) - 65536;
    return std::min(wanted, context_of(buft->device).device().caps().max_buffer_bytes);
}

constexpr ggml_backend_buffer_type_i buffer_type_interface = {
    .get_name       = get_name,
    .alloc_buffer   = alloc_buffer,
    .get_alignment  = get_alignment,
    .get_max_size   = get_max_size,
    .get_alloc_size = nullptr,
    .is_host        = nullptr,
};

// The buffer type of host memory that the GPU copies from and to

const char * host_get_name(ggml_backend_buffer_type_t buft) {
    return context_of(buft->device).host_name().c_str();
}

void host_free_buffer(ggml_backend_buffer_t buffer) {
    device_context & ctx = context_of(buffer->buft->device);
    guarded(__func__, [&] { ctx.synchronize_all(); });
    ctx.release_host_memory(buffer->context);
}

ggml_backend_buffer_t host_alloc_buffer(ggml_backend_buffer_type_t buft, size_t size) {
    device_context & ctx = context_of(buft->device);
    try {
        void * base = ctx.allocate_host_memory(size);
        // ggml's CPU buffer over our memory: only where it comes from and how it is freed differ
        ggml_backend_buffer_t buffer = ggml_backend_cpu_buffer_from_ptr(base, size);
        buffer->buft                 = buft;
        buffer->iface.free_buffer    = host_free_buffer;
        return buffer;
    } catch (const std::exception & e) {
        LOG_DX_WARN("no GPU-visible host memory for %zu bytes, using ordinary memory: %s", size, e.what());
        return ggml_backend_buft_alloc_buffer(ggml_backend_cpu_buffer_type(), size);
    }
}

bool host_is_host(ggml_backend_buffer_type_t) {
    return true;
}

constexpr ggml_backend_buffer_type_i host_buffer_type_interface = {
    .get_name       = host_get_name,
    .alloc_buffer   = host_alloc_buffer,
    .get_alignment  = get_alignment,
    .get_max_size   = nullptr,
    .get_alloc_size = nullptr,
    .is_host        = host_is_host,
};

}  // namespace

void init_buffer_types(device_context & ctx, ggml_backend_dev_t dev) {
    ctx.buffer_type      = { .iface = buffer_type_interface, .device = dev, .context = nullptr };
    ctx.host_buffer_type = { .iface = host_buffer_type_interface, .device = dev, .context = nullptr };
}

bool is_device_buffer(const ggml_backend_buffer * buffer) {
    return buffer && buffer->iface.get_base == get_base;
}

device_context & context_of(const ggml_backend_buffer * buffer) {
    return context_of(buffer->buft->device);
}

d3d12::buffer & memory_of(const ggml_tensor * tensor) {
    return *static_cast<d3d12::buffer *>(buffer_of(tensor)->context);
}

uint64_t offset_of(const ggml_tensor * tensor) {
    return reinterpret_cast<uintptr_t>(tensor->data) - fake_base;
}

}  // namespace ggml_directx
