#pragma once

// What a ggml device of the ONNX Runtime engine carries.

#include "onnx/runtime/runtime.h"
#include "onnx/session_cache.h"
#include "onnx/translator.h"
#include "onnx/weights.h"

#include "ggml-backend-impl.h"

#include <memory>
#include <string>

namespace ggml_directx::onnx {

class device_context {
public:
    device_context(std::shared_ptr<runtime> rt, ep_device dev, std::string name, std::string description);

    const std::string & name() const { return name_; }
    const std::string & description() const { return description_; }
    const target &      to() const { return to_; }
    session_cache &     sessions() { return sessions_; }

    // Memory of weights is about to go or has changed.
    void forget(const void * begin, size_t size);

    ggml_backend_buffer_type buffer_type{};

private:
    std::shared_ptr<runtime> runtime_;
    std::string              name_;
    std::string              description_;
    target                   to_;
    weight_store             weights_;
    session_cache            sessions_;
};

inline device_context & context_of(ggml_backend_dev_t dev) {
    return *static_cast<device_context *>(dev->context);
}

// The ggml device over a context, which it does not own.
ggml_backend_device make_device(ggml_backend_reg_t reg, device_context & ctx);

// buffer.cpp: fills in ctx.buffer_type. Its buffers lie in host memory, so the CPU backend computes in them too.
void init_buffer_type(device_context & ctx, ggml_backend_dev_t dev);
// A buffer over memory that the caller keeps.
ggml_backend_buffer_t buffer_from_host_ptr(ggml_backend_dev_t dev, void * data, size_t size, size_t max_tensor_size);

// stream.cpp: creates the ggml backend of a device; null, after a log line, if that fails.
ggml_backend_t make_stream(ggml_backend_dev_t dev);

}  // namespace ggml_directx::onnx
