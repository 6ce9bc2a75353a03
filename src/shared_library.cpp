#include "shared_library.h"

#if defined(_WIN32)
#include <windows.h>

#include <system_error>
#else
#include <dlfcn.h>
#endif

namespace ggml_directx {

#if defined(_WIN32)

std::wstring utf16_of(const std::string & utf8) {
    std::wstring wide(MultiByteToWideChar(CP_UTF8, 0, utf8.data(), int(utf8.size()), nullptr, 0), L'\0');
    MultiByteToWideChar(CP_UTF8, 0, utf8.data(), int(utf8.size()), wide.data(), int(wide.size()));
    return wide;
}

bool shared_library::open(const std::string & name) {
    name_ = name;
    // A name without a path is taken from the system's folder only, not from wherever the program was started.
    const bool has_path = name.find_first_of("\\/") != std::string::npos;
    handle_ = LoadLibraryExW(utf16_of(name).c_str(), nullptr, has_path ? LOAD_WITH_ALTERED_SEARCH_PATH : LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
    if (!handle_) {
        error_ = name + ": " + std::system_category().message(int(GetLastError()));
    }
    return handle_ != nullptr;
}

void * shared_library::address(const char * symbol) const {
    return handle_ ? reinterpret_cast<void *>(GetProcAddress(static_cast<HMODULE>(handle_), symbol)) : nullptr;
}

std::string own_folder() {
    HMODULE    self  = nullptr;
    const auto flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    if (!GetModuleHandleExW(flags, reinterpret_cast<LPCWSTR>(&own_folder), &self)) {
        return {};
    }
    std::wstring wide(32768, L'\0');
    wide.resize(GetModuleFileNameW(self, wide.data(), DWORD(wide.size())));
    wide.resize(wide.find_last_of(L"\\/") + 1);
    std::string folder(WideCharToMultiByte(CP_UTF8, 0, wide.data(), int(wide.size()), nullptr, 0, nullptr, nullptr), '\0');
    WideCharToMultiByte(CP_UTF8, 0, wide.data(), int(wide.size()), folder.data(), int(folder.size()), nullptr, nullptr);
    return folder;
}

void stay_loaded() {
    HMODULE self = nullptr;
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, reinterpret_cast<LPCWSTR>(&own_folder),
                       &self);
}

void * find_in_process(const char * module, const char * symbol) {
    const HMODULE handle = GetModuleHandleA(module);
    return handle ? reinterpret_cast<void *>(GetProcAddress(handle, symbol)) : nullptr;
}

#else

bool shared_library::open(const std::string & name) {
    name_   = name;
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) {
        const char * why = dlerror();
        error_           = why ? why : name + ": cannot be loaded";
    }
    return handle_ != nullptr;
}

// Looks into the library and into those that it was linked with.
void * shared_library::address(const char * symbol) const {
    return handle_ ? dlsym(handle_, symbol) : nullptr;
}

std::string own_folder() {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<const void *>(&own_folder), &info) || !info.dli_fname) {
        return {};
    }
    const std::string path = info.dli_fname;
    return path.substr(0, path.rfind('/') + 1);
}

void stay_loaded() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void *>(&own_folder), &info) && info.dli_fname) {
        dlopen(info.dli_fname, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
}

void * find_in_process(const char *, const char * symbol) {
    return dlsym(RTLD_DEFAULT, symbol);
}

#endif

}  // namespace ggml_directx
