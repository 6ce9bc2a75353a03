#pragma once

// ONNX Runtime, loaded at run time and used through its C API.

#include "shared_library.h"

#include <onnxruntime_c_api.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ggml_directx::onnx {

// What ONNX Runtime answers when it refuses; the text is its own.
class error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class runtime;

// Deletes ONNX Runtime's objects.
struct releaser {
    const OrtApi * api = nullptr;

    void operator()(OrtSession * o) const { api->ReleaseSession(o); }
    void operator()(OrtSessionOptions * o) const { api->ReleaseSessionOptions(o); }
    void operator()(OrtValue * o) const { api->ReleaseValue(o); }
    void operator()(OrtGraph * o) const { api->ReleaseGraph(o); }
    void operator()(OrtModel * o) const { api->ReleaseModel(o); }
    void operator()(OrtNode * o) const { api->ReleaseNode(o); }
    void operator()(OrtOpAttr * o) const { api->ReleaseOpAttr(o); }
    void operator()(OrtValueInfo * o) const { api->ReleaseValueInfo(o); }
    void operator()(OrtTypeInfo * o) const { api->ReleaseTypeInfo(o); }
    void operator()(OrtTensorTypeAndShapeInfo * o) const { api->ReleaseTensorTypeAndShapeInfo(o); }
    void operator()(OrtMemoryInfo * o) const { api->ReleaseMemoryInfo(o); }
    void operator()(OrtThreadingOptions * o) const { api->ReleaseThreadingOptions(o); }
};

template <typename object_type> using handle = std::unique_ptr<object_type, releaser>;

// One device of one execution provider (EP).
struct ep_device {
    std::string         ep;                  // "CPUExecutionProvider"
    std::string         ep_version;          // empty: built into ONNX Runtime
    std::string         vendor;              // of the hardware; may be empty
    std::string         type;                // npu, gpu or cpu
    const OrtEpDevice * device = nullptr;    // null: an EP that is built in and lists no devices; appended by name
    std::string         short_name() const;  // "CPU": the name without "ExecutionProvider"
};

// Thread-safe once made. Its environment is never released: the process ends with it.
class runtime {
public:
    // Loads the library; `wanted` names one to take instead of looking for it. `threads`: of EPs that compute on the CPU;
    // 0: as many as there are cores. Null, with the reason in `why`.
    static std::shared_ptr<runtime> load(const std::string & wanted, uint32_t threads, std::string & why);

    const std::string & version() const { return version_; }
    const std::string & name() const { return library_.name(); }

    // Makes a library's EPs known. Throws error.
    void register_library(const std::string & name, const std::string & path);

    std::vector<ep_device> devices() const;

    // Options of a session on the device, all threads shared. `repack`: the session may keep copies of its weights in an order
    // of its own. Throws error.
    handle<OrtSessionOptions> session_options(const ep_device & dev, bool repack) const;

    // Throws error unless the status is good; releases it.
    void check(OrtStatus * status) const;

    // Wraps a pointer that one of the C functions gave.
    template <typename object_type> handle<object_type> own(object_type * object) const {
        return handle<object_type>(object, releaser{ api_ });
    }

    // A tensor over memory that the caller keeps alive.
    handle<OrtValue> wrap(void * data, size_t size, const int64_t * dims, size_t n_dims, ONNXTensorElementDataType type) const;
    // A tensor with its own copy of the data.
    handle<OrtValue> copy(const void * data, size_t size, const int64_t * dims, size_t n_dims, ONNXTensorElementDataType type) const;

    const OrtApi &            api() const { return *api_; }
    const OrtModelEditorApi & editor() const { return *editor_; }
    const OrtEnv *            environment() const { return env_; }

private:
    shared_library            library_;
    std::string               version_;
    const OrtApi *            api_    = nullptr;
    const OrtModelEditorApi * editor_ = nullptr;
    OrtEnv *                  env_    = nullptr;
    handle<OrtMemoryInfo>     memory_{ nullptr, releaser{} };
};

}  // namespace ggml_directx::onnx
