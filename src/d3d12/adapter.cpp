#include "d3d12/adapter.h"

#include "fault.h"
#include "d3d12/platform/runtime.h"
#include "environment.h"

#include <algorithm>

namespace ggml_directx::d3d12 {

namespace {

struct loaded_runtime {
    std::shared_ptr<runtime> rt;
    std::string              why;
};

}  // namespace

std::shared_ptr<runtime> load_runtime(std::string & why) {
    if (fault_wanted("no-runtime")) {
        why = "no Direct3D 12, because GGML_DIRECTX_FAULT=no-runtime asks for it";
        return nullptr;
    }
    // Never destroyed: the libraries stay loaded, and a destructor at exit would come at an unknown moment of their own end.
    static const loaded_runtime * loaded = [] {
        auto * l = new loaded_runtime;
        l->rt    = load_platform(env().d3d12, l->why);
        return l;
    }();
    why = loaded->why;
    return loaded->rt;
}

std::vector<adapter> enumerate_adapters(runtime & rt) {
    std::vector<adapter> found;
    for (adapter & a : rt.enumerate()) {
        // One card may be listed twice, as by the para-virtualised drivers of WSL and Hyper-V.
        const bool known = a.luid != 0 && std::any_of(found.begin(), found.end(), [&](const adapter & f) { return f.luid == a.luid; });
        if (!known) {
            found.push_back(std::move(a));
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const adapter & a, const adapter & b) {
        return a.type != b.type ? a.type < b.type : a.dedicated_memory > b.dedicated_memory;
    });
    return found;
}

memory_budget query_budget(runtime & rt, const adapter & a) {
    memory_budget b;
    if (!rt.query_budget(a, b)) {
        b.budget = a.type == adapter_type::gpu ? a.dedicated_memory : a.dedicated_memory + a.shared_memory;
        b.usage  = 0;
    }
    // The limit counts what this plug-in allocates, not what else the process and the driver hold; but less may be free.
    const uint64_t limit = env().memory_limit;
    if (limit != 0 && (b.budget == 0 || limit < b.budget)) {
        const uint64_t free = b.budget == 0 ? limit : b.budget - std::min(b.budget, b.usage);
        b.budget            = limit;
        b.usage             = limit - std::min(limit, free);
    }
    return b;
}

}  // namespace ggml_directx::d3d12
