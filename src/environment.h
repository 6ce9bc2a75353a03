#pragma once

// The user's environment variables, parsed and checked once, when the plug-in is loaded. docs/environment.md lists them.

#include "d3d12/capabilities.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ggml_directx {

// An execution provider (EP) of ONNX Runtime that is not built into it: the name to register it under, and its file.
struct ep_library {
    std::string name;
    std::string path;
};

// What the ONNX Runtime engine may do to weights that ONNX has no exact format for.
enum class weight_policy : uint8_t {
    exact,    // nothing: they become f32
    compact,  // re-quantised to blocks of 4 or 8 bits, the error logged
    f16,      // rounded to f16
};

struct environment {
    std::optional<d3d12::tier> tier;                  // GGML_DIRECTX_TIER=sm51|sm60|sm66
    bool                       software    = false;   // GGML_DIRECTX_SOFTWARE=1: offer software adapters beside hardware ones
    bool                       gpu_kernels = false;   // GGML_DIRECTX_GPU_KERNELS=1: software adapters run what is made for GPUs, for tests
    bool                       reverse     = false;   // GGML_DIRECTX_REVERSE=1: between barriers run steps in the opposite order, for tests
    std::string                d3d12;                 // GGML_DIRECTX_D3D12: the Direct3D 12 library to load
    std::string                kernels;               // GGML_DIRECTX_KERNELS: a kernel archive to load instead of the embedded one
    bool                       debug        = false;  // GGML_DIRECTX_DEBUG=1: debug layer and DRED
    bool                       profile      = false;  // GGML_DIRECTX_PROFILE=1: time every kernel, print a table at exit
    uint64_t                   memory_limit = 0;      // GGML_DIRECTX_MEMORY_LIMIT (MiB): cap of a device's budget; stored in bytes
    std::vector<uint32_t>      devices;               // GGML_DIRECTX_DEVICES=0,2: adapters to offer, in this order; empty: all
    std::string                onnxruntime;           // GGML_DIRECTX_ONNXRUNTIME: the ONNX Runtime library to load
    std::vector<std::string>   ort;                   // GGML_DIRECTX_ORT=all|none|npu,gpu,cpu,EP names: which of its devices to offer
    std::vector<ep_library>    ort_eps;               // GGML_DIRECTX_ORT_EPS=name=path;...: execution provider libraries to register
    weight_policy              ort_weights = weight_policy::exact;  // GGML_DIRECTX_ORT_WEIGHTS=exact|compact|f16
    uint32_t                   ort_threads = 0;                     // GGML_DIRECTX_ORT_THREADS: of the CPU execution provider; 0: all cores
    std::optional<bool>        ort_static;                          // GGML_DIRECTX_ORT_STATIC=0|1: sessions of fixed shapes; default: NPUs'
    std::string                fault;                               // GGML_DIRECTX_FAULT: a fault to inject, for tests

    // Variables that were refused, each with the reason and what is accepted; the defaults above stand for them.
    std::vector<std::string> complaints;
};

const environment & env();

// Parses from a lookup function (name -> value or null); what env() does with getenv.
environment parse_environment(const char * (*lookup)(const char *));

// A complaint for each variable of the process that begins like ours but means nothing: most likely misspelt. `variables`
// is a null-terminated list of "NAME=value".
std::vector<std::string> complain_about_unknown(const char * const * variables);

}  // namespace ggml_directx
