#pragma once

// What a device can do, in plain C++: graph/ and ops/ decide by this without seeing Direct3D.

#include <cstdint>
#include <string_view>

namespace ggml_directx::d3d12 {

// The shader tiers, in rising order; a kernel is compiled once for each.
enum class tier : uint8_t {
    sm51,  // DXBC, no wave operations: every driver
    sm60,  // DXIL, wave operations
    sm66,  // native 16-bit types, packed 8-bit dot products
};

constexpr std::string_view tier_name(tier t) {
    return t == tier::sm51 ? "sm51" : t == tier::sm60 ? "sm60" : "sm66";
}

enum class adapter_type : uint8_t { gpu, integrated, npu, software };

struct capabilities {
    tier     best_tier    = tier::sm51;  // highest that the device can run
    tier     active_tier  = tier::sm51;  // in use: GGML_DIRECTX_TIER, or the best
    uint32_t shader_model = 0x51;        // as D3D_SHADER_MODEL: 0x51, 0x60, 0x66 ...

    bool     wave_ops     = false;
    uint32_t wave_min     = 0;  // lanes; 0 where unknown
    uint32_t wave_max     = 0;
    bool     native_16bit = false;  // 16-bit shader arithmetic and storage
    bool     dot4         = false;  // dot4add_i8packed (shader model 6.4)

    bool cpu = false;  // a CPU plays the GPU: groupshared memory and barriers cost more than buffers

    bool uma                = false;
    bool cache_coherent_uma = false;

    uint64_t max_buffer_bytes = 0;      // largest single buffer that the runtime takes
    uint32_t max_threads      = 1024;   // per group
    uint32_t groupshared      = 32768;  // bytes per group

    // Rounds that a thread may take in all of its loops: older llvmpipes end them there, silently.
    uint64_t max_rounds = UINT64_MAX;

    // What one tensor may span in a kernel, in bytes, exclusive. Shaders address a binding by 32 bits, from an address
    // aligned down; ranges end short of 2^32 so that no sum wraps.
    uint64_t max_span = (uint64_t(1) << 32) - 256;
};

}  // namespace ggml_directx::d3d12
