#include "d3d12/platform/vulkan_adapters.h"

#if !defined(_WIN32) && !defined(GGML_DIRECTX_WSL)

#include <cstring>

namespace ggml_directx::d3d12 {

namespace {

template <typename function_type> void find(PFN_vkGetInstanceProcAddr get_proc, VkInstance instance, const char * name, function_type & f) {
    f = reinterpret_cast<function_type>(get_proc(instance, name));
}

adapter_type type_of(VkPhysicalDeviceType type) {
    switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return adapter_type::gpu;
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return adapter_type::integrated;
        default: return adapter_type::software;
    }
}

std::string version_text(uint32_t v) {
    return std::to_string(VK_API_VERSION_MAJOR(v)) + "." + std::to_string(VK_API_VERSION_MINOR(v)) + "." +
           std::to_string(VK_API_VERSION_PATCH(v));
}

}  // namespace

bool vulkan_adapters::load() {
    if (!library_.open("libvulkan.so.1")) {
        return false;
    }
    get_proc_ = library_.find<PFN_vkGetInstanceProcAddr>("vkGetInstanceProcAddr");
    return get_proc_ != nullptr;
}

void vulkan_adapters::use(VkInstance instance) {
    instance_ = instance;
    find(get_proc_, instance, "vkEnumeratePhysicalDevices", list_);
    find(get_proc_, instance, "vkEnumerateDeviceExtensionProperties", list_extensions_);
    find(get_proc_, instance, "vkGetPhysicalDeviceProperties", properties_);
    find(get_proc_, instance, "vkGetPhysicalDeviceMemoryProperties", memory_);
    find(get_proc_, instance, "vkGetPhysicalDeviceMemoryProperties2KHR", memory2_);
}

bool vulkan_adapters::has_extension(VkPhysicalDevice device, const char * name) const {
    uint32_t n = 0;
    list_extensions_(device, nullptr, &n, nullptr);
    std::vector<VkExtensionProperties> all(n);
    list_extensions_(device, nullptr, &n, all.data());
    for (const VkExtensionProperties & e : all) {
        if (std::strcmp(e.extensionName, name) == 0) {
            return true;
        }
    }
    return false;
}

std::vector<adapter> vulkan_adapters::enumerate() const {
    uint32_t n = 0;
    list_(instance_, &n, nullptr);
    std::vector<VkPhysicalDevice> devices(n);
    list_(instance_, &n, devices.data());
    devices.resize(n);

    std::vector<adapter> found;
    for (VkPhysicalDevice device : devices) {
        VkPhysicalDeviceProperties p;
        properties_(device, &p);
        VkPhysicalDeviceMemoryProperties m;
        memory_(device, &m);

        adapter a;
        a.name      = p.deviceName;
        a.type      = type_of(p.deviceType);
        a.vendor_id = p.vendorID;
        a.device_id = p.deviceID;
        a.luid      = found.size() + 1;  // Vulkan's order holds while the instance lives
        a.driver    = version_text(p.driverVersion);
        for (uint32_t i = 0; i < m.memoryHeapCount; ++i) {
            uint64_t & sum = (m.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) ? a.dedicated_memory : a.shared_memory;
            sum += m.memoryHeaps[i].size;
        }
        a.handle = std::shared_ptr<void>(device, [](void *) {});  // the instance owns it
        found.push_back(std::move(a));
    }
    return found;
}

bool vulkan_adapters::query_budget(const adapter & a, memory_budget & b) const {
    const VkPhysicalDevice device = device_of(a);
    if (!memory2_ || !has_extension(device, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME)) {
        return false;
    }
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
    budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
    VkPhysicalDeviceMemoryProperties2 m{};
    m.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
    m.pNext = &budget;
    memory2_(device, &m);
    b = {};
    for (uint32_t i = 0; i < m.memoryProperties.memoryHeapCount; ++i) {
        if (m.memoryProperties.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) {
            b.budget += budget.heapBudget[i];
            b.usage += budget.heapUsage[i];
        }
    }
    return b.budget != 0;
}

VkPhysicalDeviceLimits vulkan_adapters::limits(const adapter & a) const {
    VkPhysicalDeviceProperties p;
    properties_(device_of(a), &p);
    return p.limits;
}

}  // namespace ggml_directx::d3d12

#endif
