#include "d3d12/device.h"
#include "d3d12/fault.h"
#include "d3d12/stream.h"

#include <vector>

namespace ggml_directx::d3d12 {

std::string device::self_test() {
    if (fault_wanted("self-test")) {
        return "it fails because GGML_DIRECTX_FAULT=self-test asks for it";
    }
    return {};
}

}  // namespace ggml_directx::d3d12
