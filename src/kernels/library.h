#pragma once

// The compiled kernels that the plug-in carries: every variant of kernels/catalogue.json for every tier.

#include "d3d12/capabilities.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace ggml_directx {

// One variant for one tier. Its address identifies it for the life of the process.
struct kernel {
    std::string name;  // "family.axis1.axis2"
    d3d12::tier level;
    uint32_t    index;  // dense over the library: lets a device keep its pipelines in an array
};

class kernel_library {
public:
    // The kernels embedded in this binary. Checks the archive's header and index; throws std::runtime_error with a
    // sentence for the user if it is damaged. GGML_DIRECTX_KERNELS names another archive to load instead.
    static const kernel_library & embedded();

    // An archive in memory, which must outlive the library.
    explicit kernel_library(std::span<const uint8_t> archive);
    ~kernel_library();

    // Null if the catalogue has no such variant for the tier. Thread-safe.
    const kernel * find(d3d12::tier level, std::string_view name) const;

    size_t         size() const;
    const kernel & at(size_t index) const;

    // The DXBC or DXIL container; decompressed on demand and checked (checksum). Throws std::runtime_error if damaged.
    // Thread-safe.
    std::span<const uint8_t> code(const kernel & k) const;

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace ggml_directx
