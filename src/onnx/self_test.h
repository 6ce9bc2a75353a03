#pragma once

#include "onnx/runtime/runtime.h"

#include <string>

namespace ggml_directx::onnx {

// Compiles and runs a small model on the device. Empty if it computed what it should, else what went wrong.
std::string self_test(const runtime & rt, const ep_device & dev);

}  // namespace ggml_directx::onnx
