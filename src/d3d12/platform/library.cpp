#include "d3d12/platform/library.h"

#if defined(_WIN32)
#include "d3d12/platform/d3d12_headers.h"

#include <system_error>
#else
#include <dlfcn.h>
#endif

namespace ggml_directx::d3d12 {

#if defined(_WIN32)

bool library::open(const std::string & name) {
    name_ = name;
    // A name without a path is taken from the system's folder only, not from wherever the program was started.
    const bool   has_path = name.find_first_of("\\/") != std::string::npos;
    std::wstring wide(MultiByteToWideChar(CP_UTF8, 0, name.c_str(), -1, nullptr, 0), L'\0');
    MultiByteToWideChar(CP_UTF8, 0, name.c_str(), -1, wide.data(), int(wide.size()));
    handle_ = LoadLibraryExW(wide.c_str(), nullptr, has_path ? LOAD_WITH_ALTERED_SEARCH_PATH : LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
    if (!handle_) {
        error_ = name + ": " + std::system_category().message(int(GetLastError()));
    }
    return handle_ != nullptr;
}

void * library::address(const char * symbol) const {
    return handle_ ? reinterpret_cast<void *>(GetProcAddress(static_cast<HMODULE>(handle_), symbol)) : nullptr;
}

#else

bool library::open(const std::string & name) {
    name_   = name;
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) {
        const char * why = dlerror();
        error_           = why ? why : name + ": cannot be loaded";
    }
    return handle_ != nullptr;
}

// Looks into the library and into those that it was linked with.
void * library::address(const char * symbol) const {
    return handle_ ? dlsym(handle_, symbol) : nullptr;
}

#endif

}  // namespace ggml_directx::d3d12
