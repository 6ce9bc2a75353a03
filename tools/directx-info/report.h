#pragma once

// What this machine offers to the plug-in, gathered once and then printed as text or JSON.

#include "d3d12/adapter.h"
#include "d3d12/capabilities.h"
#include "onnx/engine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ggml_directx {

struct adapter_report {
    d3d12::adapter                     adapter;
    std::optional<d3d12::capabilities> caps;  // where a device could be created
    d3d12::memory_budget               memory;
    std::string                        problem;          // why it is of no use; empty if it works
    bool                               offered = false;  // the plug-in makes a ggml device of it
};

struct machine_report {
    std::string                 runtime;     // the library that is Direct3D 12 here
    std::string                 problem;     // why there is none
    std::vector<std::string>    complaints;  // about environment variables
    std::vector<adapter_report> adapters;
    onnx::engine_report         onnx{};
};

// Creates a device on every adapter and runs the self-test. `test_all`: of ONNX Runtime's devices, tests all, not only those
// that are offered.
machine_report examine(bool test_all);

void print_text(const machine_report & r);
void print_json(const machine_report & r);

}  // namespace ggml_directx
