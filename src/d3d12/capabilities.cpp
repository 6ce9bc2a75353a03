#include "d3d12/capabilities_query.h"

#include "d3d12/com.h"
#include "d3d12/platform/runtime.h"
#include "environment.h"
#include "log.h"

#include <algorithm>

namespace ggml_directx::d3d12 {

namespace {

template <typename data_type> bool ask(ID3D12Device & device, D3D12_FEATURE feature, data_type & data) {
    return SUCCEEDED(device.CheckFeatureSupport(feature, &data, sizeof(data)));
}

// A runtime refuses values newer than itself, so ask downwards.
uint32_t highest_shader_model(ID3D12Device & device) {
    for (uint32_t model = 0x69; model >= 0x60; --model) {
        D3D12_FEATURE_DATA_SHADER_MODEL data{ D3D_SHADER_MODEL(model) };
        if (ask(device, D3D12_FEATURE_SHADER_MODEL, data)) {
            return data.HighestShaderModel;
        }
    }
    return 0x51;
}

constexpr uint64_t MiB = 1024 * 1024;

// Reserving address space shows which sizes the runtime and the driver accept, at no cost in memory.
bool can_reserve(ID3D12Device & device, uint64_t size) {
    D3D12_RESOURCE_DESC desc{};
    desc.Dimension        = D3D12_RESOURCE_DIMENSION_BUFFER;
    desc.Width            = size;
    desc.Height           = 1;
    desc.DepthOrArraySize = 1;
    desc.MipLevels        = 1;
    desc.SampleDesc.Count = 1;
    desc.Layout           = D3D12_TEXTURE_LAYOUT_ROW_MAJOR;
    desc.Flags            = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
    com_ptr<ID3D12Resource> probe;
    return SUCCEEDED(device.CreateReservedResource(&desc, D3D12_RESOURCE_STATE_COMMON, nullptr, __uuidof(ID3D12Resource), probe.out()));
}

uint64_t largest_buffer(ID3D12Device & device, runtime & rt, const adapter & a) {
    if (const uint64_t known = rt.max_buffer_bytes(a)) {
        return known;
    }
    // What Direct3D promises
    const uint64_t promised = std::min(std::max(128 * MiB, a.dedicated_memory / 4), 2048 * MiB);

    D3D12_FEATURE_DATA_D3D12_OPTIONS               options{};
    D3D12_FEATURE_DATA_GPU_VIRTUAL_ADDRESS_SUPPORT bits{};
    if (!ask(device, D3D12_FEATURE_D3D12_OPTIONS, options) || options.TiledResourcesTier == D3D12_TILED_RESOURCES_TIER_NOT_SUPPORTED ||
        !ask(device, D3D12_FEATURE_GPU_VIRTUAL_ADDRESS_SUPPORT, bits)) {
        return promised;
    }
    for (uint64_t size = 65536 * MiB; size >= 1024 * MiB; size /= 2) {
        const bool fits = bits.MaxGPUVirtualAddressBitsPerResource >= 64 || ((size - 1) >> bits.MaxGPUVirtualAddressBitsPerResource) == 0;
        if (size > promised && fits && can_reserve(device, size)) {
            return size;
        }
    }
    return promised;
}

tier best_tier(const capabilities & caps) {
    if (caps.shader_model >= 0x66 && caps.wave_ops && caps.native_16bit) {
        return tier::sm66;
    }
    return caps.shader_model >= 0x60 && caps.wave_ops ? tier::sm60 : tier::sm51;
}

}  // namespace

capabilities query_capabilities(ID3D12Device & device, runtime & rt, const adapter & a) {
    capabilities caps;
    caps.shader_model = highest_shader_model(device);

    D3D12_FEATURE_DATA_D3D12_OPTIONS1 options1{};
    if (caps.shader_model >= 0x60 && ask(device, D3D12_FEATURE_D3D12_OPTIONS1, options1) && options1.WaveOps) {
        caps.wave_ops = true;
        caps.wave_min = options1.WaveLaneCountMin;
        caps.wave_max = std::max(options1.WaveLaneCountMin, options1.WaveLaneCountMax);
    }
    D3D12_FEATURE_DATA_D3D12_OPTIONS4 options4{};
    if (caps.shader_model >= 0x62 && ask(device, D3D12_FEATURE_D3D12_OPTIONS4, options4)) {
        caps.native_16bit = options4.Native16BitShaderOpsSupported;
    }
    caps.dot4 = caps.shader_model >= 0x64;
    caps.cpu  = a.type == adapter_type::software && !env().gpu_kernels;
    if (a.type == adapter_type::software) {
        caps.max_rounds = 65535;
    }

    D3D12_FEATURE_DATA_ARCHITECTURE architecture{};
    if (ask(device, D3D12_FEATURE_ARCHITECTURE, architecture)) {
        caps.uma                = architecture.UMA;
        caps.cache_coherent_uma = architecture.CacheCoherentUMA;
    }

    caps.max_buffer_bytes = largest_buffer(device, rt, a);

    caps.best_tier   = best_tier(caps);
    caps.active_tier = caps.best_tier;
    if (const auto wanted = env().tier) {
        if (*wanted <= caps.best_tier) {
            caps.active_tier = *wanted;
        } else {
            LOG_DX_WARN("GGML_DIRECTX_TIER=%s is more than %s can do; using %s", tier_name(*wanted).data(), a.name.c_str(),
                        tier_name(caps.best_tier).data());
        }
    }
    return caps;
}

}  // namespace ggml_directx::d3d12
