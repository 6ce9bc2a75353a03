#include "ggml/registry.h"

#include "environment.h"
#include "ggml/buffer.h"
#include "ggml/device.h"
#include "ggml/guard.h"
#include "onnx/engine.h"

#include <algorithm>
#include <vector>

namespace ggml_directx {

namespace {

// The adapters to try: as the user listed them, else hardware, else software.
std::vector<d3d12::adapter> choose(std::vector<d3d12::adapter> all) {
    const environment & e = env();
    if (!e.devices.empty()) {
        std::vector<d3d12::adapter> chosen;
        for (uint32_t i : e.devices) {
            if (i < all.size()) {
                chosen.push_back(all[i]);
            } else {
                LOG_DX_WARN("GGML_DIRECTX_DEVICES names adapter %u, but there are %zu", i, all.size());
            }
        }
        return chosen;
    }
    const auto is_hardware = [](const d3d12::adapter & a) { return a.type != d3d12::adapter_type::software; };
    if (!e.software && std::any_of(all.begin(), all.end(), is_hardware)) {
        std::erase_if(all, [&](const d3d12::adapter & a) { return !is_hardware(a); });
    }
    return all;
}

// Everything found at load; lives until the library is unloaded, since ggml keeps pointers to all of it.
struct devices {
    std::vector<std::unique_ptr<device_context>>      contexts;
    std::vector<std::unique_ptr<ggml_backend_device>> entries;
    std::vector<ggml_backend_dev_t>                   all;  // in the order that ggml is told
};

void add_device(devices & found, ggml_backend_reg_t reg, const std::shared_ptr<d3d12::runtime> & rt, const d3d12::adapter & a) {
    try {
        auto              dev   = std::make_unique<d3d12::device>(rt, a, kernel_library::embedded());
        const std::string fault = dev->self_test();
        if (!fault.empty()) {
            LOG_DX_WARN("not using %s: its self-test failed: %s", a.name.c_str(), fault.c_str());
            return;
        }
        const d3d12::capabilities & caps = dev->caps();
        const std::string           tier(d3d12::tier_name(caps.active_tier));
        const std::string           name = "DirectX" + std::to_string(found.contexts.size());
        LOG_DX_INFO("%s = %s (Direct3D 12 shaders, %s, %.1f GiB)", name.c_str(), a.name.c_str(), tier.c_str(),
                    double(dev->budget().budget) / (1024.0 * 1024.0 * 1024.0));
        auto ctx   = std::make_unique<device_context>(std::move(dev), name, a.name + " (Direct3D 12 shaders, " + tier + ")");
        auto entry = std::make_unique<ggml_backend_device>(make_device(reg, *ctx));
        init_buffer_types(*ctx, entry.get());
        found.contexts.push_back(std::move(ctx));
        found.entries.push_back(std::move(entry));
        found.all.push_back(found.entries.back().get());
    } catch (const std::exception & e) {
        LOG_DX_WARN("not using %s: %s", a.name.c_str(), e.what());
    }
}

void add_direct3d(devices & found, ggml_backend_reg_t reg) {
    std::string                           why;
    const std::shared_ptr<d3d12::runtime> rt = d3d12::load_runtime(why);
    if (!rt) {
        LOG_DX_WARN("no device: %s", why.c_str());
        return;
    }
    const std::vector<d3d12::adapter> adapters = choose(d3d12::enumerate_adapters(*rt));
    for (const d3d12::adapter & a : adapters) {
        add_device(found, reg, rt, a);
    }
    if (adapters.empty()) {
        LOG_DX_WARN("no device: Direct3D 12 is installed but offers no adapter");
    }
}

devices find_devices(ggml_backend_reg_t reg) {
    devices found;
    for (const std::string & complaint : env().complaints) {
        LOG_DX_WARN("%s", complaint.c_str());
    }
    guarded("Direct3D 12", [&] { add_direct3d(found, reg); });
    guarded("ONNX Runtime", [&] {
        for (ggml_backend_dev_t dev : onnx::devices(reg)) {
            found.all.push_back(dev);
        }
    });
    return found;
}

ggml_backend_reg & entry();

// Made on the first call. Its destructor is registered after the Direct3D libraries have been loaded, and so runs before
// theirs when the process exits. WSL's libraries do not survive the release of a device at exit: there it is left alone.
devices & all_devices() {
    const auto find = [] { return guarded("find_devices", devices(), [] { return find_devices(&entry()); }); };
#ifdef GGML_DIRECTX_WSL
    static devices & found = *new devices(find());
#else
    static devices found = find();
#endif
    return found;
}

const char * get_name(ggml_backend_reg_t) {
    return "DirectX";
}

size_t get_device_count(ggml_backend_reg_t) {
    return all_devices().all.size();
}

ggml_backend_dev_t get_device(ggml_backend_reg_t, size_t index) {
    return index < all_devices().all.size() ? all_devices().all[index] : nullptr;
}

constexpr ggml_backend_reg_i registry_interface = {
    .get_name         = get_name,
    .get_device_count = get_device_count,
    .get_device       = get_device,
    .get_proc_address = nullptr,
};

ggml_backend_reg & entry() {
    static ggml_backend_reg reg = { .api_version = GGML_BACKEND_API_VERSION, .iface = registry_interface, .context = nullptr };
    return reg;
}

}  // namespace

ggml_backend_reg_t registry() {
    all_devices();
    return &entry();
}

}  // namespace ggml_directx
