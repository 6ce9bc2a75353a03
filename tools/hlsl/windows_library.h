#pragma once

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#include <unknwn.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace hlsl {

// Owns one reference to a COM object.
template <typename T> class com {
public:
    com()                        = default;
    com(const com &)             = delete;
    com & operator=(const com &) = delete;
    ~com() {
        if (p_) {
            p_->Release();
        }
    }

    T **     put() { return &p_; }
    void **  put_void() { return reinterpret_cast<void **>(&p_); }
    T *      operator->() const { return p_; }
    T *      get() const { return p_; }
    explicit operator bool() const { return p_ != nullptr; }

private:
    T * p_ = nullptr;
};

inline std::string hex(HRESULT hr) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08lx", static_cast<unsigned long>(hr));
    return text;
}

// Processor time of this thread: unlike the clock on the wall, the same on a busy machine.
inline double thread_seconds() {
    FILETIME created, exited, kernel, user;
    if (!GetThreadTimes(GetCurrentThread(), &created, &exited, &kernel, &user)) {
        return 0;
    }
    const auto ticks = [](const FILETIME & t) { return double(t.dwHighDateTime) * 4294967296.0 + double(t.dwLowDateTime); };
    return (ticks(kernel) + ticks(user)) * 1e-7;
}

inline std::string message_text(const void * data, size_t size) {
    std::string text(static_cast<const char *>(data), size);
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n' || text.back() == '\r')) {
        text.pop_back();
    }
    return text;
}

// Never unloaded: the compilers keep state for the process.
class windows_library {
public:
    explicit windows_library(const std::filesystem::path & file) : name_(file.string()) {
        // With this flag a DLL finds its companions beside itself.
        std::filesystem::path path = std::filesystem::absolute(file).make_preferred();
        module_                    = LoadLibraryExW(path.wstring().c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
        if (!module_) {
            throw std::runtime_error(name_ + ": cannot be loaded (Windows error " + std::to_string(GetLastError()) + ")");
        }
    }

    template <typename F> F function(const char * symbol) const {
        const FARPROC address = GetProcAddress(module_, symbol);
        if (!address) {
            throw std::runtime_error(name_ + ": has no function " + symbol);
        }
        return reinterpret_cast<F>(reinterpret_cast<void *>(address));
    }

private:
    std::string name_;
    HMODULE     module_ = nullptr;
};

}  // namespace hlsl
