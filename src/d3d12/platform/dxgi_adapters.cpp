#include "d3d12/platform/dxgi_adapters.h"

#if defined(_WIN32)

#include <dxgi1_4.h>

#include <string>

namespace ggml_directx::d3d12 {

namespace {

using create_factory_function = HRESULT(WINAPI *)(REFIID, void **);

// DXGI does not say whether an adapter is part of the processor; those have next to no memory of their own.
constexpr uint64_t integrated_below = 512ull << 20;

adapter_type type_of(const DXGI_ADAPTER_DESC1 & d) {
    if (d.Flags & DXGI_ADAPTER_FLAG_SOFTWARE) {
        return adapter_type::software;
    }
    return d.DedicatedVideoMemory < integrated_below ? adapter_type::integrated : adapter_type::gpu;
}

std::string utf8(const WCHAR * text) {
    const int   n = WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
    std::string s(size_t(n > 0 ? n : 1), '\0');
    WideCharToMultiByte(CP_UTF8, 0, text, -1, s.data(), n, nullptr, nullptr);
    s.pop_back();
    return s;
}

std::string driver_version(IDXGIAdapter1 & a) {
    LARGE_INTEGER v{};
    if (FAILED(a.CheckInterfaceSupport(__uuidof(IDXGIDevice), &v))) {
        return {};
    }
    return std::to_string(HIWORD(v.HighPart)) + "." + std::to_string(LOWORD(v.HighPart)) + "." + std::to_string(HIWORD(v.LowPart)) + "." +
           std::to_string(LOWORD(v.LowPart));
}

}  // namespace

bool dxgi_adapters::load() {
    if (!library_.open("dxgi.dll")) {
        return false;
    }
    const auto create = library_.find<create_factory_function>("CreateDXGIFactory1");
    void *     made   = nullptr;
    if (!create || FAILED(create(__uuidof(IDXGIFactory1), &made))) {
        return false;
    }
    factory_ = static_cast<IUnknown *>(made);
    return true;
}

std::vector<adapter> dxgi_adapters::enumerate() const {
    auto *               factory = static_cast<IDXGIFactory1 *>(factory_);
    std::vector<adapter> found;
    for (UINT i = 0;; ++i) {
        IDXGIAdapter1 * raw = nullptr;
        if (FAILED(factory->EnumAdapters1(i, &raw))) {
            return found;
        }
        com_ptr<IDXGIAdapter1> dxgi(raw);
        DXGI_ADAPTER_DESC1     d{};
        if (FAILED(dxgi->GetDesc1(&d))) {
            continue;
        }
        adapter a;
        a.name             = utf8(d.Description);
        a.type             = type_of(d);
        a.vendor_id        = d.VendorId;
        a.device_id        = d.DeviceId;
        a.luid             = (uint64_t(uint32_t(d.AdapterLuid.HighPart)) << 32) | d.AdapterLuid.LowPart;
        a.driver           = driver_version(*raw);
        a.dedicated_memory = d.DedicatedVideoMemory;
        a.shared_memory    = d.SharedSystemMemory;
        a.handle           = std::shared_ptr<void>(raw, [kept = std::move(dxgi)](void *) {});
        found.push_back(std::move(a));
    }
}

bool dxgi_adapters::query_budget(const adapter & a, memory_budget & b) const {
    auto *                 dxgi = static_cast<IDXGIAdapter1 *>(a.handle.get());
    com_ptr<IDXGIAdapter3> newer;
    if (dxgi) {
        dxgi->QueryInterface(__uuidof(IDXGIAdapter3), newer.out());
    }
    DXGI_QUERY_VIDEO_MEMORY_INFO info{};
    if (!newer || FAILED(newer->QueryVideoMemoryInfo(0, DXGI_MEMORY_SEGMENT_GROUP_LOCAL, &info))) {
        return false;
    }
    b.budget = info.Budget;
    b.usage  = info.CurrentUsage;
    return b.budget != 0;
}

}  // namespace ggml_directx::d3d12

#endif
