#pragma once

#include "d3d12/memory.h"

#include "ggml-backend-impl.h"

namespace ggml_directx {

class device_context;

// Device memory. ggml computes with addresses that nobody dereferences: every buffer's base is this.
// A buffer's context is its d3d12::buffer.
constexpr uintptr_t fake_base = 0x10000;

// What tensors start at. Root views are bound at multiples of 256 bytes, so an aligned tensor has no offset left over.
constexpr size_t tensor_alignment = 256;

// Fills in ctx.buffer_type and ctx.host_buffer_type.
void init_buffer_types(device_context & ctx, ggml_backend_dev_t dev);

// True for buffers of our device memory (not the host type), of any of our devices.
bool is_device_buffer(const ggml_backend_buffer * buffer);

// The device behind such a buffer, its memory, and a tensor's place in it (views included).
device_context & context_of(const ggml_backend_buffer * buffer);
d3d12::buffer &  memory_of(const ggml_tensor * tensor);
uint64_t         offset_of(const ggml_tensor * tensor);

}  // namespace ggml_directx
