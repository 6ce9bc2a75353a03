#pragma once

// libvkd3d runs on Vulkan and does not enumerate adapters itself: this asks Vulkan.

#if !defined(_WIN32) && !defined(GGML_DIRECTX_WSL)

#include "d3d12/adapter.h"
#include "shared_library.h"

#include <vulkan/vulkan_core.h>

#include <vector>

namespace ggml_directx::d3d12 {

class vulkan_adapters {
public:
    // False if there is no Vulkan loader.
    bool load();

    // Gives vkd3d its entry point into the same loader.
    PFN_vkGetInstanceProcAddr loader() const { return get_proc_; }

    void use(VkInstance instance);

    // Every physical device; adapter::handle is the VkPhysicalDevice.
    std::vector<adapter> enumerate() const;

    static VkPhysicalDevice device_of(const adapter & a) { return static_cast<VkPhysicalDevice>(a.handle.get()); }

    // From VK_EXT_memory_budget; false where the driver does not have it.
    bool query_budget(const adapter & a, memory_budget & b) const;

    VkPhysicalDeviceLimits limits(const adapter & a) const;

private:
    bool has_extension(VkPhysicalDevice device, const char * name) const;

    shared_library                              library_;
    VkInstance                                  instance_        = nullptr;
    PFN_vkGetInstanceProcAddr                   get_proc_        = nullptr;
    PFN_vkEnumeratePhysicalDevices              list_            = nullptr;
    PFN_vkEnumerateDeviceExtensionProperties    list_extensions_ = nullptr;
    PFN_vkGetPhysicalDeviceProperties           properties_      = nullptr;
    PFN_vkGetPhysicalDeviceMemoryProperties     memory_          = nullptr;
    PFN_vkGetPhysicalDeviceMemoryProperties2KHR memory2_         = nullptr;  // may be missing
};

}  // namespace ggml_directx::d3d12

#endif
