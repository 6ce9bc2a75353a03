#pragma once

// The ONNX Runtime engine, as the registry and directx-info see it. src/onnx/absent.cpp stands for all of it where it was
// built without ONNX Runtime's headers.

#include "ggml-backend-impl.h"

#include <string>
#include <vector>

namespace ggml_directx::onnx {

// One device of one execution provider (EP), as people are told about it.
struct device_report {
    std::string type;         // npu, gpu or cpu
    std::string description;  // hardware, EP and versions
    std::string problem;      // what its self-test says; empty if it passed or was not asked for
    bool        tested  = false;
    bool        offered = false;
};

struct engine_report {
    std::string                runtime;     // the library and its version; empty if there is none
    std::string                problem;     // why there is none, or what else went wrong; may be empty
    bool                       expected;    // the user asked for it: then a problem is worth a warning
    std::vector<std::string>   complaints;  // EP libraries that were not registered, names that match nothing
    std::vector<device_report> devices;
};

// Loads ONNX Runtime if there is one and GGML_DIRECTX_ORT does not forbid it, and looks at its devices. Those that would be
// offered pass a self-test first; `test_all`: the others are tested too.
engine_report examine(bool test_all = false);

// The ggml devices to offer, logging one line for each. They live until the process ends: ONNX Runtime's threads do not
// survive the unloading of libraries.
std::vector<ggml_backend_dev_t> devices(ggml_backend_reg_t reg);

}  // namespace ggml_directx::onnx
