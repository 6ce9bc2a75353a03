// Built without ONNX Runtime's headers: no engine, and a word about it to whoever asks for one.

#include "environment.h"
#include "log.h"
#include "onnx/engine.h"

namespace ggml_directx::onnx {

engine_report examine(bool) {
    const environment & e = env();
    engine_report       r{};
    r.problem  = "this build has no ONNX Runtime engine (its headers were missing)";
    r.expected = !e.ort.empty() || !e.onnxruntime.empty() || !e.ort_eps.empty();
    return r;
}

std::vector<ggml_backend_dev_t> devices(ggml_backend_reg_t) {
    const engine_report r = examine();
    if (r.expected) {
        LOG_DX_WARN("no ONNX Runtime device: %s", r.problem.c_str());
    }
    return {};
}

}  // namespace ggml_directx::onnx
