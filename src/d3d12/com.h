#pragma once

// COM ownership and errors.

#include "d3d12/platform/d3d12_headers.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace ggml_directx::d3d12 {

// References held by all com_ptr of the process: back at its old value when everything is released.
inline std::atomic<int64_t> com_references{ 0 };

// Owns one reference.
template <typename T> class com_ptr {
public:
    com_ptr() = default;
    com_ptr(std::nullptr_t) {}
    explicit com_ptr(T * owned) : p_(owned) { note(+1); }
    com_ptr(const com_ptr & o) : p_(o.p_) {
        if (p_) {
            p_->AddRef();
            note(+1);
        }
    }
    com_ptr(com_ptr && o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
    com_ptr & operator=(com_ptr o) noexcept {
        std::swap(p_, o.p_);
        return *this;
    }
    ~com_ptr() {
        note(-1);
        if (p_) {
            p_->Release();
        }
    }

    T *      get() const { return p_; }
    T *      operator->() const { return p_; }
    explicit operator bool() const { return p_ != nullptr; }

    // For functions that hand out an object through a void **. The object arrives at the end of the full expression: look at
    // it in the next statement.
    class receiver {
    public:
        explicit receiver(com_ptr & to) : to_(to) { to_ = nullptr; }
        ~receiver() { to_ = com_ptr(static_cast<T *>(got_)); }
        receiver(const receiver &)             = delete;
        receiver & operator=(const receiver &) = delete;
                   operator void **() { return &got_; }

    private:
        com_ptr & to_;
        void *    got_ = nullptr;
    };
    receiver out() { return receiver(*this); }

private:
    void note(int64_t n) const {
        if (p_) {
            com_references.fetch_add(n, std::memory_order_relaxed);
        }
    }

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
