// Windows: d3d12.dll, adapters from DXCore, or from DXGI where that is missing.

#include "d3d12/platform/runtime.h"

#if defined(_WIN32)

#include "d3d12/platform/dxcore_adapters.h"
#include "d3d12/platform/dxgi_adapters.h"
#include "shared_library.h"

namespace ggml_directx::d3d12 {

namespace {

class windows_event : public event {
public:
    windows_event() : handle_(CreateEventW(nullptr, FALSE, FALSE, nullptr)) {}
    ~windows_event() override { CloseHandle(handle_); }

    HANDLE handle() override { return handle_; }
    void   wait() override { WaitForSingleObject(handle_, INFINITE); }

private:
    HANDLE handle_;
};

class windows_runtime : public runtime {
public:
    bool start(const std::string & wanted, std::string & why) {
        if (!library_.open(wanted.empty() ? "d3d12.dll" : wanted)) {
            why = "Direct3D 12 cannot be loaded (Windows 10 or later is needed): " + library_.error();
            return false;
        }
        name_      = library_.name();
        create_    = library_.find<PFN_D3D12_CREATE_DEVICE>("D3D12CreateDevice");
        serialize_ = library_.find<PFN_D3D12_SERIALIZE_ROOT_SIGNATURE>("D3D12SerializeRootSignature");
        debug_     = library_.find<PFN_D3D12_GET_DEBUG_INTERFACE>("D3D12GetDebugInterface");
        if (!create_ || !serialize_) {
            why = library_.name() + " does not export D3D12CreateDevice and D3D12SerializeRootSignature";
            return false;
        }
        has_dxcore_ = dxcore_.load("dxcore.dll");
        if (!has_dxcore_ && !dxgi_.load()) {
            why = "neither dxcore.dll nor dxgi.dll lists adapters";
            return false;
        }
        return true;
    }

    std::vector<adapter> enumerate() override { return has_dxcore_ ? dxcore_.enumerate() : dxgi_.enumerate(); }

    HRESULT create_device(const adapter & a, D3D_FEATURE_LEVEL level, REFIID iid, void ** out) override {
        return create_(static_cast<IUnknown *>(a.handle.get()), level, iid, out);
    }

    bool query_budget(const adapter & a, memory_budget & b) override {
        return has_dxcore_ ? dxcore_.query_budget(a, b) : dxgi_.query_budget(a, b);
    }

    uint64_t max_buffer_bytes(const adapter &) override { return 0; }

    bool conforming() const override { return !wine_; }

    std::unique_ptr<event> create_event() override { return std::make_unique<windows_event>(); }

private:
    shared_library  library_;
    dxcore_adapters dxcore_;
    dxgi_adapters   dxgi_;
    bool            has_dxcore_ = false;
    const bool      wine_       = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr;
};

}  // namespace

std::shared_ptr<runtime> load_platform(const std::string & wanted, std::string & why) {
    auto rt = std::make_shared<windows_runtime>();
    return rt->start(wanted, why) ? rt : nullptr;
}

}  // namespace ggml_directx::d3d12

#endif
