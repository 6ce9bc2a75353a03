#include "d3d12/device.h"

#include "d3d12/capabilities_query.h"
#include "d3d12/diagnostics.h"
#include "fault.h"
#include "d3d12/platform/runtime.h"
#include "d3d12/profiler.h"
#include "environment.h"
#include "log.h"

#include <cstdio>

namespace ggml_directx::d3d12 {

namespace {

// With GGML_DIRECTX_DEBUG=1, says whether anything is left when the plug-in is unloaded. Made when the plug-in is loaded, so
// that its destructor comes after those of the devices.
struct leak_check {
    bool wanted = false;

    ~leak_check() {
        if (wanted && com_references != 0) {
            LOG_DX_WARN("%lld references to Direct3D objects were not released", static_cast<long long>(com_references.load()));
        } else if (wanted) {
            LOG_DX_INFO("every Direct3D object was released");
        }
    }
};

leak_check at_unload;

}  // namespace

device::device(std::shared_ptr<runtime> rt, const adapter & a, const kernel_library & library)
    : runtime_(std::move(rt)), adapter_(a), library_(library) {
    if (env().debug) {
        at_unload.wanted = true;
        enable_diagnostics(*runtime_);
    }
    HRESULT hr = runtime_->create_device(adapter_, D3D_FEATURE_LEVEL_11_0, __uuidof(ID3D12Device), device_.out());
    if (FAILED(hr) && a.type != adapter_type::software) {
        // Compute-only devices
        hr = runtime_->create_device(adapter_, D3D_FEATURE_LEVEL_1_0_CORE, __uuidof(ID3D12Device), device_.out());
    }
    check(hr, "creating the Direct3D 12 device");
    caps_ = query_capabilities(*device_.get(), *runtime_, adapter_);
    create_root_signature();

    D3D12_COMMAND_QUEUE_DESC desc{};
    desc.Type = list_type_;
    com_ptr<ID3D12CommandQueue> probe;
    if (FAILED(device_->CreateCommandQueue(&desc, __uuidof(ID3D12CommandQueue), probe.out()))) {
        list_type_ = D3D12_COMMAND_LIST_TYPE_DIRECT;
    }
    create_codebooks();
    if (env().profile) {
        profiler_ = std::make_unique<profiler>(*this);
    }
}

device::~device() {
    if (profiler_) {
        profiler_->report();
    }
}

com_ptr<ID3D12CommandQueue> device::create_queue() {
    D3D12_COMMAND_QUEUE_DESC desc{};
    desc.Type = list_type_;
    com_ptr<ID3D12CommandQueue> queue;
    check(device_->CreateCommandQueue(&desc, __uuidof(ID3D12CommandQueue), queue.out()), "creating a command queue");
    return queue;
}

void device::before_submission() {
    const bool injected = injecting_ && fault_due("removed", ++submissions_);
    check(injected || lost_ ? DXGI_ERROR_DEVICE_REMOVED : S_OK, "submitting work");
}

namespace {

const char * meaning(long hr) {
    switch (HRESULT(hr)) {
        case DXGI_ERROR_DEVICE_REMOVED: return "device removed";
        case DXGI_ERROR_DEVICE_HUNG: return "device hung on what it was given";
        case DXGI_ERROR_DEVICE_RESET: return "device reset";
        case DXGI_ERROR_DRIVER_INTERNAL_ERROR: return "internal error of the driver";
        case DXGI_ERROR_INVALID_CALL: return "invalid call";
        case DXGI_ERROR_UNSUPPORTED: return "not supported";
        case E_OUTOFMEMORY: return "out of memory";
        case E_INVALIDARG: return "invalid argument";
        case E_NOTIMPL: return "not implemented";
        case E_NOINTERFACE: return "not supported by this runtime";
        default: return "failed";
    }
}

bool means_removed(long hr) {
    switch (HRESULT(hr)) {
        case DXGI_ERROR_DEVICE_REMOVED:
        case DXGI_ERROR_DEVICE_HUNG:
        case DXGI_ERROR_DEVICE_RESET:
        case DXGI_ERROR_DRIVER_INTERNAL_ERROR: return true;
        default: return false;
    }
}

std::string with_code(const char * text, long hr) {
    char code[32];
    std::snprintf(code, sizeof(code), " (0x%08x)", unsigned(hr));
    return text + std::string(code);
}

}  // namespace

std::string device::removal_report() {
    if (!device_) {
        return {};
    }
    const HRESULT reason = device_->GetDeviceRemovedReason();
    return (FAILED(reason) ? "; reason: " + with_code(meaning(reason), reason) : std::string()) + breadcrumbs(*device_.get());
}

void device::check(long hr, const char * what) {
    if (hr >= 0) {
        return;
    }
    std::string text = adapter_.name + ": " + what + ": " + with_code(meaning(hr), hr);
    if (means_removed(hr)) {
        if (!lost_.exchange(true)) {
            text += removal_report();
        }
        text += "; this device cannot be used any more in this process";
    } else if (env().debug && device_) {
        text += debug_messages(*device_.get());
    }
    throw error(hr, text);
}

int64_t device::live_objects() {
    return com_references;
}

}  // namespace ggml_directx::d3d12
