#pragma once

#include <cstdint>
#include <span>

namespace ggml_directx {

// The patterns of ggml's codebook types (iq1_s .. iq3_s), 16 bits each. Constant for all time; a device keeps a copy that
// every kernel sees at t0 (formats/grids.hlsli says where each type's table begins).
std::span<const uint16_t> kernel_codebooks();

}  // namespace ggml_directx
