#pragma once

#include "d3d12/com.h"

#include <cstdint>

namespace ggml_directx::d3d12 {

class device;

enum class memory_kind : uint8_t {
    device,    // read and written by shaders; CPU-visible (mapped) only where that is free: cache-coherent UMA
    host,      // system memory, CPU-cached, that the GPU can copy from and to
    upload,    // write-combined, CPU writes and the GPU copies from
    readback,  // CPU-cached, the GPU copies to and the CPU reads
};

// One committed resource. Freed when destroyed: the caller makes sure that the GPU is done with it.
struct buffer {
    com_ptr<ID3D12Resource> resource;
    uint64_t                address = 0;        // GPU virtual address
    uint64_t                size    = 0;        // bytes, a multiple of 256
    void *                  mapped  = nullptr;  // CPU address, or null
    uint64_t                uid     = 0;        // never used twice in a process
    memory_kind             kind    = memory_kind::device;
    device *                owner   = nullptr;

    ~buffer();
    buffer()                           = default;
    buffer(const buffer &)             = delete;
    buffer & operator=(const buffer &) = delete;
};

}  // namespace ggml_directx::d3d12
