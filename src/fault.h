#pragma once

// Faults that tests ask for with GGML_DIRECTX_FAULT:
//   no-runtime       load_runtime finds no Direct3D 12
//   self-test        every device fails its self-test
//   removed@N        a device is removed at its N-th submission (counted from 1)
//   out-of-memory@N  a device's N-th allocation of device memory fails
//   session@N        the N-th session of ONNX Runtime does not compile
//   run@N            the N-th run of a session fails
//   no-fallback      ggml's CPU backend computes nothing that a session should
// None counts what the self-test does.

#include <cstdint>
#include <string_view>

namespace ggml_directx {

bool fault_wanted(std::string_view name);

// True at the N of "name@N".
bool fault_due(std::string_view name, uint64_t count);

}  // namespace ggml_directx
