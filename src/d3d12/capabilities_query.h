#pragma once

#include "d3d12/adapter.h"
#include "d3d12/capabilities.h"
#include "d3d12/platform/d3d12_headers.h"

namespace ggml_directx::d3d12 {

// Asks the device. active_tier is GGML_DIRECTX_TIER if the device can run it, else the best.
capabilities query_capabilities(ID3D12Device & device, runtime & rt, const adapter & a);

}  // namespace ggml_directx::d3d12
