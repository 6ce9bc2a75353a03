#pragma once

// Adapters through DXCore: Windows 10 2004 and later, and WSL. It knows compute-only devices and NPUs, which DXGI does not.

#include "d3d12/adapter.h"
#include "d3d12/com.h"
#include "shared_library.h"

#include <vector>

namespace ggml_directx::d3d12 {

class dxcore_adapters {
public:
    // False if there is no such library, or it does not work.
    bool load(const char * library_name);

    // adapter::handle is the IDXCoreAdapter.
    std::vector<adapter> enumerate() const;

    bool query_budget(const adapter & a, memory_budget & b) const;

private:
    shared_library library_;
    // Kept for the life of the process, as the library is, and not counted among the objects to release.
    IDXCoreAdapterFactory * factory_ = nullptr;
};

}  // namespace ggml_directx::d3d12
