#pragma once

// Adapters through DXGI, for Windows versions without a working DXCore, and for wine.

#include "d3d12/adapter.h"
#include "d3d12/com.h"
#include "shared_library.h"

#include <memory>
#include <vector>

namespace ggml_directx::d3d12 {

class dxgi_adapters {
public:
    bool load();

    // adapter::handle is the IDXGIAdapter1.
    std::vector<adapter> enumerate() const;

    bool query_budget(const adapter & a, memory_budget & b) const;

private:
    shared_library library_;
    // Kept for the life of the process, as the library is, and not counted among the objects to release.
    IUnknown * factory_ = nullptr;  // an IDXGIFactory1: its header stays in the .cpp
};

}  // namespace ggml_directx::d3d12
