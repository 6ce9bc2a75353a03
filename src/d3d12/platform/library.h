#pragma once

// A shared library, opened at run time.

#include <string>

namespace ggml_directx::d3d12 {

// Never closed: Direct3D runtimes start threads and register exit handlers, and do not survive being unloaded.
class library {
public:
    library() = default;

    // False, with the loader's message in error(), if there is none.
    bool open(const std::string & name);

    explicit            operator bool() const { return handle_ != nullptr; }
    const std::string & name() const { return name_; }
    const std::string & error() const { return error_; }

    // Null if it has no such function.
    template <typename function_type> function_type find(const char * symbol) const {
        return reinterpret_cast<function_type>(address(symbol));
    }

private:
    void * address(const char * symbol) const;

    std::string name_;
    std::string error_;
    void *      handle_ = nullptr;
};

}  // namespace ggml_directx::d3d12
