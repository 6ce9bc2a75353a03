#include "onnx/runtime/runtime.h"

#include "log.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ggml_directx::onnx {

namespace {

#if defined(_WIN32)
constexpr const char * library_names[] = { "onnxruntime.dll" };
#else
constexpr const char * library_names[] = { "libonnxruntime.so.1", "libonnxruntime.so" };
#endif

constexpr std::string_view ep_suffix = "ExecutionProvider";

// ONNX Runtime's own words go to ggml's log; what it warns about is for developers.
void ORT_API_CALL forward_log(void *, OrtLoggingLevel severity, const char *, const char *, const char * where, const char * message) {
    if (severity >= ORT_LOGGING_LEVEL_ERROR) {
        // a failure is reported where it is handled; the library's own word on it is detail
        LOG_DX_DEBUG("ONNX Runtime: %s: %s", where, message);
    }
}

const char * type_name(OrtHardwareDeviceType type) {
    switch (type) {
        case OrtHardwareDeviceType_NPU: return "npu";
        case OrtHardwareDeviceType_GPU: return "gpu";
        default: return "cpu";
    }
}

std::basic_string<ORTCHAR_T> native_path(const std::string & path) {
#if defined(_WIN32)
    return utf16_of(path);
#else
    return path;
#endif
}

std::string value_of(const OrtApi & api, const OrtKeyValuePairs * pairs, const char * key) {
    const char * value = pairs ? api.GetKeyValue(pairs, key) : nullptr;
    return value ? value : "";
}

}  // namespace

std::string ep_device::short_name() const {
    return ep.ends_with(ep_suffix) ? ep.substr(0, ep.size() - ep_suffix.size()) : ep;
}

std::shared_ptr<runtime> runtime::load(const std::string & wanted, uint32_t threads, std::string & why) {
    std::vector<std::string> candidates;
    if (!wanted.empty()) {
        candidates.push_back(wanted);
    } else {
        for (const char * name : library_names) {
            candidates.push_back(own_folder() + name);
            candidates.emplace_back(name);
        }
    }
    auto rt = std::make_shared<runtime>();
    why.clear();
    for (const std::string & candidate : candidates) {
        if (!rt->library_.open(candidate)) {
            why = why.empty() ? rt->library_.error() : why;
            continue;
        }
        const auto get_base = rt->library_.find<const OrtApiBase *(ORT_API_CALL *)()>("OrtGetApiBase");
        if (!get_base) {
            why = candidate + " is not ONNX Runtime: it has no OrtGetApiBase";
            continue;
        }
        const OrtApiBase * base = get_base();
        rt->version_            = base->GetVersionString();
        // An older library answers null, and says so on the error stream; asked for by its version it need not.
        const int minor = rt->version_.starts_with("1.") ? std::atoi(rt->version_.c_str() + 2) : 0;
        rt->api_        = minor == 0 || minor >= ORT_API_VERSION ? base->GetApi(ORT_API_VERSION) : nullptr;
        if (!rt->api_) {
            why = candidate + " is ONNX Runtime " + rt->version_ + "; 1." + std::to_string(ORT_API_VERSION) + " or newer is needed";
            continue;
        }
        rt->editor_ = rt->api_->GetModelEditorApi();
        if (!rt->editor_) {
            why = candidate + " is a minimal build of ONNX Runtime, which cannot take models from memory";
            continue;
        }
        try {
            stay_loaded();  // ONNX Runtime keeps the logging function
            OrtThreadingOptions * threading = nullptr;
            rt->check(rt->api_->CreateThreadingOptions(&threading));
            const handle<OrtThreadingOptions> owned = rt->own(threading);
            if (threads > 0) {
                rt->check(rt->api_->SetGlobalIntraOpNumThreads(threading, int(threads)));
            }
            rt->check(rt->api_->CreateEnvWithCustomLoggerAndGlobalThreadPools(forward_log, nullptr, ORT_LOGGING_LEVEL_ERROR, "ggml-directx",
                                                                              threading, &rt->env_));
            OrtMemoryInfo * memory = nullptr;
            rt->check(rt->api_->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory));
            rt->memory_ = rt->own(memory);
        } catch (const error & e) {
            why = candidate + ": " + e.what();
            continue;
        }
        return rt;
    }
    return nullptr;
}

void runtime::check(OrtStatus * status) const {
    if (status) {
        std::string message = api_->GetErrorMessage(status);
        api_->ReleaseStatus(status);
        // of a failed check inside, which begins with file, line and function, only what it says
        constexpr std::string_view condition = " was false. ";
        if (const size_t at = message.rfind(condition); at != std::string::npos && at + condition.size() < message.size()) {
            message.erase(0, at + condition.size());
        }
        std::replace(message.begin(), message.end(), '\n', ' ');
        while (message.ends_with(' ')) {
            message.pop_back();
        }
        throw error(message);
    }
}

void runtime::register_library(const std::string & name, const std::string & path) {
    check(api_->RegisterExecutionProviderLibrary(env_, name.c_str(), native_path(path).c_str()));
}

std::vector<ep_device> runtime::devices() const {
    std::vector<ep_device>      list;
    const OrtEpDevice * const * found = nullptr;
    size_t                      n     = 0;
    check(api_->GetEpDevices(env_, &found, &n));
    for (size_t i = 0; i < n; ++i) {
        const OrtHardwareDevice * hardware = api_->EpDevice_Device(found[i]);
        ep_device                 d;
        d.ep         = api_->EpDevice_EpName(found[i]);
        d.ep_version = value_of(*api_, api_->EpDevice_EpMetadata(found[i]), "version");
        d.vendor     = api_->HardwareDevice_Vendor(hardware);
        d.type       = type_name(api_->HardwareDevice_Type(hardware));
        d.device     = found[i];
        list.push_back(std::move(d));
    }
    // EPs that are built in and know nothing of devices yet
    char ** names   = nullptr;
    int     n_names = 0;
    check(api_->GetAvailableProviders(&names, &n_names));
    for (int i = 0; i < n_names; ++i) {
        const bool listed = std::any_of(list.begin(), list.end(), [&](const ep_device & d) { return d.ep == names[i]; });
        if (!listed && std::strcmp(names[i], "WebGpuExecutionProvider") == 0) {
            ep_device d;
            d.ep   = names[i];
            d.type = "gpu";
            list.push_back(std::move(d));
        }
    }
    check(api_->ReleaseAvailableProviders(names, n_names));
    return list;
}

handle<OrtSessionOptions> runtime::session_options(const ep_device & dev, bool repack) const {
    OrtSessionOptions * options = nullptr;
    check(api_->CreateSessionOptions(&options));
    handle<OrtSessionOptions> owned = own(options);
    check(api_->DisablePerSessionThreads(options));
    check(api_->SetSessionGraphOptimizationLevel(options, ORT_ENABLE_ALL));
    if (!repack) {
        check(api_->AddSessionConfigEntry(options, "session.disable_prepacking", "1"));
    }
    check(api_->SetSessionLogSeverityLevel(options, ORT_LOGGING_LEVEL_ERROR));
    if (!dev.device) {
        const std::string name = dev.short_name() == "WebGpu" ? "WebGPU" : dev.short_name();
        check(api_->SessionOptionsAppendExecutionProvider(options, name.c_str(), nullptr, nullptr, 0));
    } else if (dev.ep != "CPUExecutionProvider") {  // which every session has anyway
        check(api_->SessionOptionsAppendExecutionProvider_V2(options, env_, &dev.device, 1, nullptr, nullptr, 0));
    }
    return owned;
}

handle<OrtValue> runtime::wrap(void * data, size_t size, const int64_t * dims, size_t n_dims, ONNXTensorElementDataType type) const {
    OrtValue * value = nullptr;
    check(api_->CreateTensorWithDataAsOrtValue(memory_.get(), data, size, dims, n_dims, type, &value));
    return own(value);
}

handle<OrtValue> runtime::copy(const void * data, size_t size, const int64_t * dims, size_t n_dims, ONNXTensorElementDataType type) const {
    OrtAllocator * allocator = nullptr;
    check(api_->GetAllocatorWithDefaultOptions(&allocator));
    OrtValue * value = nullptr;
    check(api_->CreateTensorAsOrtValue(allocator, dims, n_dims, type, &value));
    handle<OrtValue> owned = own(value);
    void *           to    = nullptr;
    check(api_->GetTensorMutableData(value, &to));
    std::memcpy(to, data, size);
    return owned;
}

}  // namespace ggml_directx::onnx
