#pragma once

// A shared library, opened at run time.

#include <string>

namespace ggml_directx {

// Never closed: Direct3D and ONNX Runtime start threads and register exit handlers, and do not survive being unloaded.
class shared_library {
public:
    shared_library() = default;

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

// The folder of the library or program that this code is in, with a separator at its end; empty if unknown.
std::string own_folder();

// Lets this library stay in the process when its user unloads it: others keep pointers to its functions.
void stay_loaded();

#if defined(_WIN32)
// What Windows' functions take.
std::wstring utf16_of(const std::string & utf8);
#endif

// A function that the process has already, wherever it comes from (on Windows: from the named module); null if it has not.
void * find_in_process(const char * module, const char * symbol);

}  // namespace ggml_directx
