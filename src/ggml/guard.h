#pragma once

#include "d3d12/com.h"
#include "log.h"

#include <exception>

namespace ggml_directx {

// No exception crosses ggml's C interface: runs `body`; on an exception logs what happened and returns `otherwise`.
template <typename body_type, typename result_type>
result_type guarded(const char * where, result_type otherwise, body_type && body) noexcept {
    try {
        return body();
    } catch (const std::exception & e) {
        LOG_DX_ERROR("%s: %s", where, e.what());
    } catch (...) {
        LOG_DX_ERROR("%s: unknown exception", where);
    }
    return otherwise;
}

template <typename body_type> bool guarded(const char * where, body_type && body) noexcept {
    return guarded(where, false, [&] {
        body();
        return true;
    });
}

}  // namespace ggml_directx
