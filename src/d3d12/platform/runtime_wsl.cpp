// WSL: libd3d12.so and libdxcore.so, which Windows puts into /usr/lib/wsl/lib; they speak to the host's driver.

#include "d3d12/platform/runtime.h"

#if defined(GGML_DIRECTX_WSL)

#include "d3d12/platform/dxcore_adapters.h"
#include "shared_library.h"

#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

namespace ggml_directx::d3d12 {

namespace {

// libd3d12 takes an eventfd for an event's handle.
class wsl_event : public event {
public:
    wsl_event() : fd_(eventfd(0, EFD_CLOEXEC)) {}
    ~wsl_event() override { close(fd_); }

    HANDLE handle() override { return reinterpret_cast<HANDLE>(intptr_t(fd_)); }

    void wait() override {
        uint64_t count = 0;
        while (read(fd_, &count, sizeof(count)) < 0) {
            // interrupted by a signal
        }
    }

private:
    int fd_;
};

class wsl_runtime : public runtime {
public:
    bool start(const std::string & wanted, std::string & why) {
        // Not every distribution has WSL's folder in the loader's path.
        if (!library_.open(wanted.empty() ? "libd3d12.so" : wanted) &&
            (!wanted.empty() || !library_.open("/usr/lib/wsl/lib/libd3d12.so"))) {
            why = library_.error() + " (is this WSL 2, with a GPU driver on the Windows side?)";
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
        if (!dxcore_.load("libdxcore.so") && !dxcore_.load("/usr/lib/wsl/lib/libdxcore.so")) {
            why = "libdxcore.so cannot be loaded (is /dev/dxg there?)";
            return false;
        }
        return true;
    }

    std::vector<adapter> enumerate() override { return dxcore_.enumerate(); }

    HRESULT create_device(const adapter & a, D3D_FEATURE_LEVEL level, REFIID iid, void ** out) override {
        return create_(static_cast<IUnknown *>(a.handle.get()), level, iid, out);
    }

    bool     query_budget(const adapter & a, memory_budget & b) override { return dxcore_.query_budget(a, b); }
    uint64_t max_buffer_bytes(const adapter &) override { return 0; }

    std::unique_ptr<event> create_event() override { return std::make_unique<wsl_event>(); }

private:
    shared_library  library_;
    dxcore_adapters dxcore_;
};

}  // namespace

std::shared_ptr<runtime> load_platform(const std::string & wanted, std::string & why) {
    auto rt = std::make_shared<wsl_runtime>();
    return rt->start(wanted, why) ? rt : nullptr;
}

}  // namespace ggml_directx::d3d12

#endif
