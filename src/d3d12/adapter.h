#pragma once

// What the machine offers through Direct3D 12: one entry per physical adapter.

#include "d3d12/capabilities.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ggml_directx::d3d12 {

class runtime;  // platform/: the loaded libraries

struct adapter {
    std::string  name;
    adapter_type type      = adapter_type::software;
    uint32_t     vendor_id = 0;
    uint32_t     device_id = 0;
    uint64_t     luid      = 0;         // identifies the adapter on this machine until it restarts; 0 where unknown
    std::string  driver;                // version, for people
    uint64_t     dedicated_memory = 0;  // bytes; 0 where unknown
    uint64_t     shared_memory    = 0;

    // Keeps what the platform needs to create the device: IDXCoreAdapter, IDXGIAdapter or VkPhysicalDevice.
    std::shared_ptr<void> handle;
};

struct memory_budget {
    uint64_t budget = 0;  // bytes this process may use now
    uint64_t usage  = 0;  // bytes it uses
};

// The library with Direct3D 12, loaded once for the process; null, with the reason in `why`, where there is none.
std::shared_ptr<runtime> load_runtime(std::string & why);

// All adapters that could compute, duplicates (by LUID) removed, best first: gpu, integrated, npu, software.
std::vector<adapter> enumerate_adapters(runtime & rt);

// The budget that the operating system grants now; falls back to the adapter's memory sizes. GGML_DIRECTX_MEMORY_LIMIT caps it.
memory_budget query_budget(runtime & rt, const adapter & a);

}  // namespace ggml_directx::d3d12
