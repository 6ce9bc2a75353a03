#pragma once

// Mapped memory that transfers pass through: chunks that are filled front to back and used again when the GPU is done.

#include "d3d12/device.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ggml_directx::d3d12 {

class staging_ring {
public:
    static constexpr uint64_t first_chunk = 1ull << 20;  // most streams move little
    static constexpr uint64_t chunk       = 16ull << 20;
    static constexpr size_t   max_chunks  = 5;

    struct slice {
        ID3D12Resource * resource = nullptr;  // null: no room until the GPU has reached oldest(size)
        uint64_t         offset   = 0;
        uint8_t *        data     = nullptr;
    };

    staging_ring(device & dev, memory_kind kind) : device_(dev), kind_(kind) {}

    // `size` bytes (at most `chunk`), in use until stamped and reached; `completed` is where the fence is now.
    slice take(uint64_t size, uint64_t completed);

    // The fence value after which all that was taken since the last stamp is free again.
    void stamp(uint64_t value);

    // The first value that frees a chunk which can hold `size` bytes.
    uint64_t oldest(uint64_t size) const;

private:
    static constexpr uint64_t not_stamped = UINT64_MAX;

    struct part {
        std::unique_ptr<buffer> memory;
        uint64_t                used       = 0;
        uint64_t                busy_until = 0;
    };

    device &          device_;
    memory_kind       kind_;
    std::vector<part> parts_;
    size_t            current_ = 0;
};

}  // namespace ggml_directx::d3d12
