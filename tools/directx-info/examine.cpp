#include "report.h"

#include "d3d12/device.h"
#include "d3d12/platform/runtime.h"
#include "environment.h"

#include <algorithm>

namespace ggml_directx {

namespace {

adapter_report examine_adapter(const std::shared_ptr<d3d12::runtime> & rt, const d3d12::adapter & a) {
    adapter_report r;
    r.adapter = a;
    try {
        d3d12::device dev(rt, a, kernel_library::embedded());
        r.caps    = dev.caps();
        r.memory  = dev.budget();
        r.problem = dev.self_test();
        if (!r.problem.empty()) {
            r.problem = "self-test failed: " + r.problem;
        }
    } catch (const std::exception & e) {
        r.problem = e.what();
    }
    return r;
}

}  // namespace

machine_report examine(bool test_all) {
    machine_report r;
    r.complaints  = env().complaints;
    r.onnx        = onnx::examine(test_all);
    const auto rt = d3d12::load_runtime(r.problem);
    if (!rt) {
        return r;
    }
    r.runtime = rt->name();
    for (const d3d12::adapter & a : d3d12::enumerate_adapters(*rt)) {
        r.adapters.push_back(examine_adapter(rt, a));
    }
    // As the plug-in chooses: those that the user lists, else hardware, else software.
    const std::vector<uint32_t> & listed   = env().devices;
    const bool                    hardware = std::any_of(r.adapters.begin(), r.adapters.end(),
                                                         [](const adapter_report & a) { return a.adapter.type != d3d12::adapter_type::software; });
    for (size_t i = 0; i < r.adapters.size(); ++i) {
        adapter_report & a      = r.adapters[i];
        const bool       chosen = listed.empty() ? a.adapter.type != d3d12::adapter_type::software || !hardware || env().software
                                                 : std::find(listed.begin(), listed.end(), i) != listed.end();
        a.offered               = chosen && a.problem.empty();
    }
    return r;
}

}  // namespace ggml_directx
