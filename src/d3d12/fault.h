#pragma once

// Faults that tests ask for with GGML_DIRECTX_FAULT:
//   no-runtime       load_runtime finds no Direct3D 12
//   self-test        every device fails its self-test
//   removed@N        a device is removed at its N-th submission (counted from 1)
//   out-of-memory@N  a device's N-th allocation of device memory fails
// Neither counts what the self-test does.

#include <cstdint>
#include <string_view>

namespace ggml_directx::d3d12 {

bool fault_wanted(std::string_view name);

// True at the N of "name@N".
bool fault_due(std::string_view name, uint64_t count);

}  // namespace ggml_directx::d3d12
