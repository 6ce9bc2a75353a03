#pragma once

// The debug layer and DRED (device removed extended data), on when GGML_DIRECTX_DEBUG=1.

#include "d3d12/platform/d3d12_headers.h"

#include <string>

namespace ggml_directx::d3d12 {

class runtime;

// Before the first device is created. What the runtime does not have is said once and left out.
void enable_diagnostics(runtime & rt);

// What the GPU was doing when it was removed; empty where DRED is off or missing.
std::string breadcrumbs(ID3D12Device & device);

// What the debug layer has said since the last call.
std::string debug_messages(ID3D12Device & device);

}  // namespace ggml_directx::d3d12
