#include "onnx/device.h"

#include "environment.h"
#include "ggml/guard.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <unistd.h>
#endif

namespace ggml_directx::onnx {

namespace {

// The compilers of NPUs take no other.
bool wants_fixed_shapes(const ep_device & dev) {
    return env().ort_static.value_or(dev.type == "npu");
}

}  // namespace

device_context::device_context(std::shared_ptr<runtime> rt, ep_device dev, std::string name, std::string description)
    : runtime_(std::move(rt)), name_(std::move(name)), description_(std::move(description)),
      sessions_(*runtime_, dev, weights_, wants_fixed_shapes(dev)) {
    to_.policy = env().ort_weights;
}

void device_context::forget(const void * begin, size_t size) {
    weights_.forget(begin, size);
    sessions_.clear();
}

namespace {

const char * get_name(ggml_backend_dev_t dev) {
    return context_of(dev).name().c_str();
}

const char * get_description(ggml_backend_dev_t dev) {
    return context_of(dev).description().c_str();
}

// The system's: sessions and buffers live there, whatever an EP keeps of its own.
void get_memory(ggml_backend_dev_t, size_t * free, size_t * total) {
#if defined(_WIN32)
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof(status);
    GlobalMemoryStatusEx(&status);
    *total = size_t(status.ullTotalPhys);
    *free  = size_t(status.ullAvailPhys);
#else
    const auto page = size_t(sysconf(_SC_PAGESIZE));
    *total          = size_t(sysconf(_SC_PHYS_PAGES)) * page;
    *free           = size_t(sysconf(_SC_AVPHYS_PAGES)) * page;
#endif
}

// Programs offload to GPUs alone, so that is what an NPU is to them.
enum ggml_backend_dev_type get_type(ggml_backend_dev_t) {
    return GGML_BACKEND_DEVICE_TYPE_GPU;
}

void get_props(ggml_backend_dev_t dev, ggml_backend_dev_props * props) {
    props->name        = get_name(dev);
    props->description = get_description(dev);
    props->type        = get_type(dev);
    props->device_id   = nullptr;
    get_memory(dev, &props->memory_free, &props->memory_total);
    props->caps = {
        .async                = false,
        .host_buffer          = false,
        .buffer_from_host_ptr = true,
        .events               = false,
        .mmap_support         = true,
    };
}

ggml_backend_t init_backend(ggml_backend_dev_t dev, const char *) {
    return make_stream(dev);
}

ggml_backend_buffer_type_t get_buffer_type(ggml_backend_dev_t dev) {
    return &context_of(dev).buffer_type;
}

bool supports_op(ggml_backend_dev_t dev, const ggml_tensor * op) {
    return guarded(__func__, false, [&] { return supports(context_of(dev).to(), op); });
}

bool supports_buft(ggml_backend_dev_t dev, ggml_backend_buffer_type_t buft) {
    return buft == get_buffer_type(dev);
}

bool offload_op(ggml_backend_dev_t, const ggml_tensor *) {
    return false;  // sessions want their weights as constants
}

constexpr ggml_backend_device_i device_interface = {
    .get_name             = get_name,
    .get_description      = get_description,
    .get_memory           = get_memory,
    .get_type             = get_type,
    .get_props            = get_props,
    .init_backend         = init_backend,
    .get_buffer_type      = get_buffer_type,
    .get_host_buffer_type = nullptr,
    .buffer_from_host_ptr = buffer_from_host_ptr,
    .supports_op          = supports_op,
    .supports_buft        = supports_buft,
    .offload_op           = offload_op,
    .event_new            = nullptr,
    .event_free           = nullptr,
    .event_synchronize    = nullptr,
};

}  // namespace

ggml_backend_device make_device(ggml_backend_reg_t reg, device_context & ctx) {
    return { .iface = device_interface, .reg = reg, .context = &ctx };
}

}  // namespace ggml_directx::onnx
