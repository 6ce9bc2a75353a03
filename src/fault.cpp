#include "fault.h"

#include "environment.h"

#include <charconv>

namespace ggml_directx {

bool fault_wanted(std::string_view name) {
    return env().fault == name;
}

bool fault_due(std::string_view name, uint64_t count) {
    const std::string_view fault = env().fault;
    if (!fault.starts_with(name) || fault.size() <= name.size() || fault[name.size()] != '@') {
        return false;
    }
    uint64_t at = 0;
    std::from_chars(fault.data() + name.size() + 1, fault.data() + fault.size(), at);
    return at == count;
}

}  // namespace ggml_directx
