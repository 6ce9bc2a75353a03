#pragma once

// COM ownership and errors.

#include "d3d12/platform/d3d12_headers.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace ggml_directx::d3d12 {

// Owns one reference.
template <typename T>
class com_ptr {
public:
    com_ptr() = default;
    com_ptr(std::nullptr_t) {}
    explicit com_ptr(T * owned) : p_(owned) {}
    com_ptr(const com_ptr & o) : p_(o.p_) {
        if (p_) {
            p_->AddRef();
        }
    }
    com_ptr(com_ptr && o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
    com_ptr & operator=(com_ptr o) noexcept {
        std::swap(p_, o.p_);
        return *this;
    }
    ~com_ptr() {
        if (p_) {
            p_->Release();
        }
    }

    T *  get() const { return p_; }
    T *  operator->() const { return p_; }
    explicit operator bool() const { return p_ != nullptr; }

    // For functions that hand out an object through a void **.
    void ** out() {
        *this = nullptr;
        return reinterpret_cast<void **>(&p_);
    }

private:
    T * p_ = nullptr;
};

// A failed call: the HRESULT and a sentence that says what was attempted.
class error : public std::runtime_error {
public:
    error(long hr, const std::string & what) : std::runtime_error(what), hr_(hr) {}
    long hr() const { return hr_; }

private:
    long hr_;
};

}  // namespace ggml_directx::d3d12
