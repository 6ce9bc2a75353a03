// An ONNX Runtime that is older than the plug-in needs, as far as one can tell from outside.

#include <onnxruntime_c_api.h>

#ifdef _WIN32
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED __attribute__((visibility("default")))
#endif

extern "C" EXPORTED const OrtApiBase * ORT_API_CALL OrtGetApiBase(void) noexcept {
    static const OrtApiBase base = {
        [](uint32_t) noexcept -> const OrtApi * { return nullptr; },
        []() noexcept -> const char * { return "1.17.1"; },
    };
    return &base;
}
