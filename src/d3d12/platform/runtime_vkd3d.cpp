// Linux: libvkd3d translates Direct3D 12 to Vulkan. Its COM methods and D3D12* functions follow Microsoft's x64 calling
// convention, its own vkd3d_* functions the host's.

#include "d3d12/platform/runtime.h"

#if !defined(_WIN32) && !defined(GGML_DIRECTX_WSL)

#include "shared_library.h"
#include "d3d12/platform/vulkan_adapters.h"

namespace ggml_directx::d3d12 {

namespace {

// libvkd3d's interface, as far as it is used here: its own headers cannot stand beside DirectX-Headers.
struct vkd3d_instance;

enum vkd3d_structure_type : int {
    vkd3d_type_instance_create_info = 0,
    vkd3d_type_device_create_info   = 1,
    vkd3d_type_application_info     = 5,
};

constexpr int vkd3d_api_version_1_2 = 2;

struct vkd3d_application_info {
    vkd3d_structure_type type;
    const void *         next;
    const char *         application_name;
    uint32_t             application_version;
    const char *         engine_name;
    uint32_t             engine_version;
    int                  api_version;
};

struct vkd3d_instance_create_info {
    vkd3d_structure_type type;
    const void *         next;
    HRESULT (*signal_event)(HANDLE);
    void *                    create_thread;
    void *                    join_thread;
    size_t                    wchar_size;
    PFN_vkGetInstanceProcAddr get_proc;
    const char * const *      extensions;
    uint32_t                  n_extensions;
};

struct vkd3d_device_create_info {
    vkd3d_structure_type               type;
    const void *                       next;
    D3D_FEATURE_LEVEL                  minimum_feature_level;
    vkd3d_instance *                   instance;
    const vkd3d_instance_create_info * instance_create_info;
    VkPhysicalDevice                   physical_device;
    const char * const *               extensions;
    uint32_t                           n_extensions;
    IUnknown *                         parent;
    LUID                               luid;
};

using create_instance_function = HRESULT (*)(const vkd3d_instance_create_info *, vkd3d_instance **);
using get_vk_instance_function = VkInstance (*)(vkd3d_instance *);
using create_device_function   = HRESULT (*)(const vkd3d_device_create_info *, REFIID, void **);
using create_event_function    = HANDLE (*)();
using signal_event_function    = HRESULT (*)(HANDLE);
using wait_event_function      = unsigned (*)(HANDLE, unsigned);
using destroy_event_function   = void (*)(HANDLE);

struct event_functions {
    create_event_function  create  = nullptr;
    signal_event_function  signal  = nullptr;
    wait_event_function    wait    = nullptr;
    destroy_event_function destroy = nullptr;
};

class vkd3d_event : public event {
public:
    explicit vkd3d_event(const event_functions & f) : f_(f), handle_(f.create()) {}
    ~vkd3d_event() override { f_.destroy(handle_); }

    HANDLE handle() override { return handle_; }
    // libvkd3d does not honour time-outs: there is only "for ever".
    void wait() override { f_.wait(handle_, ~0u); }

private:
    event_functions f_;
    HANDLE          handle_;
};

// libvkd3d proper: one instance, any Vulkan device.
class vkd3d_runtime : public runtime {
public:
    static std::shared_ptr<runtime> make(const shared_library & utils, std::string & why) {
        auto rt = std::make_shared<vkd3d_runtime>();
        return rt->start(utils, why) ? rt : nullptr;
    }

    std::vector<adapter> enumerate() override { return vulkan_.enumerate(); }

    HRESULT create_device(const adapter & a, D3D_FEATURE_LEVEL level, REFIID iid, void ** out) override {
        vkd3d_device_create_info info{};
        info.type                  = vkd3d_type_device_create_info;
        info.minimum_feature_level = level;
        info.instance              = instance_;
        info.physical_device       = vulkan_adapters::device_of(a);
        info.luid.LowPart          = uint32_t(a.luid);
        return create_device_(&info, iid, out);
    }

    bool query_budget(const adapter & a, memory_budget & b) override { return vulkan_.query_budget(a, b); }

    // Root views become texel buffer views of 32-bit words that reach to the end of the buffer.
    uint64_t max_buffer_bytes(const adapter & a) override { return uint64_t(vulkan_.limits(a).maxTexelBufferElements) * 4; }

    bool conforming() const override { return false; }

    std::unique_ptr<event> create_event() override { return std::make_unique<vkd3d_event>(events_); }

private:
    bool start(const shared_library & utils, std::string & why) {
        events_.create             = utils.find<create_event_function>("vkd3d_create_event");
        events_.signal             = utils.find<signal_event_function>("vkd3d_signal_event");
        events_.wait               = utils.find<wait_event_function>("vkd3d_wait_event");
        events_.destroy            = utils.find<destroy_event_function>("vkd3d_destroy_event");
        create_device_             = utils.find<create_device_function>("vkd3d_create_device");
        serialize_                 = utils.find<PFN_D3D12_SERIALIZE_ROOT_SIGNATURE>("D3D12SerializeRootSignature");
        debug_                     = utils.find<PFN_D3D12_GET_DEBUG_INTERFACE>("D3D12GetDebugInterface");
        const auto create_instance = utils.find<create_instance_function>("vkd3d_create_instance");
        const auto get_vk_instance = utils.find<get_vk_instance_function>("vkd3d_instance_get_vk_instance");
        if (!events_.create || !events_.signal || !events_.wait || !events_.destroy || !create_device_ || !serialize_ || !create_instance ||
            !get_vk_instance) {
            why = utils.name() + " is not a libvkd3d-utils of version 1.2 or later";
            return false;
        }
        if (!vulkan_.load()) {
            why = "libvkd3d needs Vulkan, and libvulkan.so.1 cannot be loaded (Debian: libvulkan1, mesa-vulkan-drivers)";
            return false;
        }
        vkd3d_application_info app{};
        app.type             = vkd3d_type_application_info;
        app.application_name = "ggml-directx";
        app.api_version      = vkd3d_api_version_1_2;
        vkd3d_instance_create_info info{};
        info.type         = vkd3d_type_instance_create_info;
        info.next         = &app;
        info.signal_event = events_.signal;
        info.wchar_size   = sizeof(WCHAR);
        info.get_proc     = vulkan_.loader();
        if (FAILED(create_instance(&info, &instance_))) {
            why = "libvkd3d finds no usable Vulkan driver (Debian: mesa-vulkan-drivers)";
            return false;
        }
        vulkan_.use(get_vk_instance(instance_));
        name_ = "libvkd3d";
        return true;
    }

    vulkan_adapters        vulkan_;
    event_functions        events_;
    create_device_function create_device_ = nullptr;
    vkd3d_instance *       instance_      = nullptr;  // kept for the life of the process, as the library is
};

// Any other library that exports D3D12CreateDevice: it picks the adapter, and its events are its own affair. Its methods
// must have Windows' calling convention, as libvkd3d's do; vkd3d-proton's native builds do not, unless told to.
class plain_runtime : public runtime {
public:
    static std::shared_ptr<runtime> make(const shared_library & lib, std::string & why) {
        auto rt        = std::make_shared<plain_runtime>();
        rt->name_      = lib.name().substr(lib.name().find_last_of('/') + 1);
        rt->create_    = lib.find<PFN_D3D12_CREATE_DEVICE>("D3D12CreateDevice");
        rt->serialize_ = lib.find<PFN_D3D12_SERIALIZE_ROOT_SIGNATURE>("D3D12SerializeRootSignature");
        rt->debug_     = lib.find<PFN_D3D12_GET_DEBUG_INTERFACE>("D3D12GetDebugInterface");
        if (!rt->create_ || !rt->serialize_) {
            why = lib.name() + " does not export D3D12CreateDevice and D3D12SerializeRootSignature";
            return nullptr;
        }
        return rt;
    }

    std::vector<adapter> enumerate() override {
        adapter a;
        a.name = "Direct3D 12 adapter of " + name_;
        a.type = adapter_type::gpu;
        return { a };
    }

    HRESULT create_device(const adapter &, D3D_FEATURE_LEVEL level, REFIID iid, void ** out) override {
        return create_(nullptr, level, iid, out);
    }

    bool                   query_budget(const adapter &, memory_budget &) override { return false; }
    uint64_t               max_buffer_bytes(const adapter &) override { return 0; }
    std::unique_ptr<event> create_event() override { return nullptr; }
};

}  // namespace

std::shared_ptr<runtime> load_platform(const std::string & wanted, std::string & why) {
    shared_library lib;
    if (!lib.open(wanted.empty() ? "libvkd3d-utils.so.1" : wanted)) {
        why = lib.error() + (wanted.empty() ? " (Debian: libvkd3d-utils1)" : "");
        return nullptr;
    }
    if (lib.find<void (*)()>("vkd3d_create_instance") && lib.find<void (*)()>("D3D12CreateDeviceVKD3D")) {
        return vkd3d_runtime::make(lib, why);
    }
    return plain_runtime::make(lib, why);
}

}  // namespace ggml_directx::d3d12

#endif
