#include "d3d12/memory.h"

#include "d3d12/device.h"
#include "fault.h"

#include <cstdio>

namespace ggml_directx::d3d12 {

namespace {

// Bound addresses are multiples of 256, and shaders may read the word that holds a tensor's last byte.
constexpr uint64_t granularity = 256;

std::atomic<uint64_t> last_uid{ 0 };

D3D12_HEAP_PROPERTIES heap_for(memory_kind kind, const capabilities & caps) {
    D3D12_HEAP_PROPERTIES heap{};
    heap.CreationNodeMask = 1;
    heap.VisibleNodeMask  = 1;
    switch (kind) {
        case memory_kind::device:
            if (!caps.cache_coherent_uma) {
                heap.Type = D3D12_HEAP_TYPE_DEFAULT;
                break;
            }
            [[fallthrough]];
        case memory_kind::host:
            heap.Type                 = D3D12_HEAP_TYPE_CUSTOM;
            heap.CPUPageProperty      = D3D12_CPU_PAGE_PROPERTY_WRITE_BACK;
            heap.MemoryPoolPreference = D3D12_MEMORY_POOL_L0;
            break;
        case memory_kind::upload: heap.Type = D3D12_HEAP_TYPE_UPLOAD; break;
        case memory_kind::readback: heap.Type = D3D12_HEAP_TYPE_READBACK; break;
    }
    return heap;
}

D3D12_RESOURCE_STATES state_for(memory_kind kind) {
    switch (kind) {
        case memory_kind::upload: return D3D12_RESOURCE_STATE_GENERIC_READ;
        case memory_kind::readback: return D3D12_RESOURCE_STATE_COPY_DEST;
        default: return D3D12_RESOURCE_STATE_COMMON;
    }
}

const char * describe(memory_kind kind) {
    switch (kind) {
        case memory_kind::device: return "device memory";
        case memory_kind::host: return "GPU-visible host memory";
        default: return "staging memory";
    }
}

std::string mebibytes(uint64_t size) {
    char text[32];
    std::snprintf(text, sizeof(text), size % (1024 * 1024) == 0 ? "%.0f MiB" : "%.2f MiB", double(size) / (1024.0 * 1024.0));
    return text;
}

}  // namespace

buffer::~buffer() {
    if (mapped) {
        resource->Unmap(0, nullptr);
    }
    if (owner && kind == memory_kind::device) {
        owner->allocated_ -= size;
    }
}

bool device::within_budget(uint64_t size) const {
    const memory_budget b = budget();
    return b.budget == 0 || (b.usage <= b.budget && size <= b.budget - b.usage);
}

std::unique_ptr<buffer> device::allocate(uint64_t size, memory_kind kind) {
    check(lost_ ? DXGI_ERROR_DEVICE_REMOVED : S_OK, "allocating memory");

    const uint64_t    bytes  = (std::max(size, uint64_t(1)) + granularity - 1) / granularity * granularity;
    const std::string wanted = mebibytes(bytes) + " of " + describe(kind);
    if (kind == memory_kind::device && injecting_ && fault_due("out-of-memory", ++allocations_)) {
        throw error(E_OUTOFMEMORY, "out of memory for " + wanted + ", because GGML_DIRECTX_FAULT asks for it");
    }
    if (kind == memory_kind::device && bytes > caps_.max_buffer_bytes) {
        throw error(E_OUTOFMEMORY,
                    wanted + " do not fit into one buffer: " + adapter_.name + " takes at most " + mebibytes(caps_.max_buffer_bytes));
    }
    if (kind == memory_kind::device && !within_budget(bytes)) {
        const memory_budget b = budget();
        throw error(E_OUTOFMEMORY, "no room for " + wanted + " on " + adapter_.name + ": " + mebibytes(b.usage) + " of " +
                                       mebibytes(b.budget) + " in use");
    }

    D3D12_HEAP_PROPERTIES heap = heap_for(kind, caps_);
    D3D12_RESOURCE_DESC   desc{};
    desc.Dimension        = D3D12_RESOURCE_DIMENSION_BUFFER;
    desc.Width            = bytes;
    desc.Height           = 1;
    desc.DepthOrArraySize = 1;
    desc.MipLevels        = 1;
    desc.SampleDesc.Count = 1;
    desc.Layout           = D3D12_TEXTURE_LAYOUT_ROW_MAJOR;
    desc.Flags            = kind == memory_kind::device ? D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS : D3D12_RESOURCE_FLAG_NONE;

    auto    b  = std::make_unique<buffer>();
    HRESULT hr = device_->CreateCommittedResource(&heap, D3D12_HEAP_FLAG_NONE, &desc, state_for(kind), nullptr, __uuidof(ID3D12Resource),
                                                  b->resource.out());
    if (FAILED(hr) && hr != E_OUTOFMEMORY && heap.Type == D3D12_HEAP_TYPE_CUSTOM) {
        // Core-compute devices have no custom heaps.
        heap      = {};
        heap.Type = kind == memory_kind::device ? D3D12_HEAP_TYPE_DEFAULT : D3D12_HEAP_TYPE_READBACK;
        hr        = device_->CreateCommittedResource(&heap, D3D12_HEAP_FLAG_NONE, &desc,
                                              kind == memory_kind::device ? D3D12_RESOURCE_STATE_COMMON : D3D12_RESOURCE_STATE_COPY_DEST,
                                                     nullptr, __uuidof(ID3D12Resource), b->resource.out());
        if (kind == memory_kind::host) {
            kind = memory_kind::readback;
        }
    }
    check(hr, ("allocating " + wanted).c_str());

    b->kind = kind;
    b->size = bytes;
    if (heap.Type != D3D12_HEAP_TYPE_DEFAULT) {
        const D3D12_RANGE nothing_read{ 0, 0 };
        check(b->resource->Map(0, kind == memory_kind::upload ? &nothing_read : nullptr, &b->mapped), "mapping a buffer");
    }
    b->address = b->resource->GetGPUVirtualAddress();
    b->uid     = ++last_uid;
    b->owner   = this;
    if (kind == memory_kind::device) {
        allocated_ += bytes;
    }
    return b;
}

memory_budget device::budget() const {
    memory_budget b = query_budget(*runtime_, adapter_);
    b.usage         = std::max(b.usage, allocated_.load());
    return b;
}

}  // namespace ggml_directx::d3d12
