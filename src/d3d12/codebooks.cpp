#include "kernels/codebooks.h"

#include "d3d12/device.h"
#include "d3d12/platform/runtime.h"
#include "d3d12/queue.h"

#include <cstring>

namespace ggml_directx::d3d12 {

// The device's copy of the codebooks, which every recording binds at t0. Its own calls rather than a stream's: injected
// faults and the budget count what users allocate and submit.
void device::create_codebooks() {
    const std::span<const uint16_t> content = kernel_codebooks();

    const auto make = [&](D3D12_HEAP_TYPE type, D3D12_RESOURCE_STATES state) {
        D3D12_HEAP_PROPERTIES heap{};
        heap.Type             = type;
        heap.CreationNodeMask = 1;
        heap.VisibleNodeMask  = 1;
        D3D12_RESOURCE_DESC desc{};
        desc.Dimension        = D3D12_RESOURCE_DIMENSION_BUFFER;
        desc.Width            = content.size_bytes();
        desc.Height           = 1;
        desc.DepthOrArraySize = 1;
        desc.MipLevels        = 1;
        desc.SampleDesc.Count = 1;
        desc.Layout           = D3D12_TEXTURE_LAYOUT_ROW_MAJOR;
        com_ptr<ID3D12Resource> r;
        check(device_->CreateCommittedResource(&heap, D3D12_HEAP_FLAG_NONE, &desc, state, nullptr, __uuidof(ID3D12Resource), r.out()),
              "allocating the codebooks");
        return r;
    };
    const com_ptr<ID3D12Resource> staged = make(D3D12_HEAP_TYPE_UPLOAD, D3D12_RESOURCE_STATE_GENERIC_READ);
    codebooks_                           = make(D3D12_HEAP_TYPE_DEFAULT, D3D12_RESOURCE_STATE_COMMON);

    const D3D12_RANGE nothing_read{ 0, 0 };
    void *            memory = nullptr;
    check(staged->Map(0, &nothing_read, &memory), "mapping the codebooks");
    std::memcpy(memory, content.data(), content.size_bytes());
    staged->Unmap(0, nullptr);

    com_ptr<ID3D12CommandAllocator>    allocator;
    com_ptr<ID3D12GraphicsCommandList> list;
    check(device_->CreateCommandAllocator(list_type_, __uuidof(ID3D12CommandAllocator), allocator.out()), "creating a command allocator");
    check(device_->CreateCommandList(0, list_type_, allocator.get(), nullptr, __uuidof(ID3D12GraphicsCommandList), list.out()),
          "creating a command list");
    list->CopyBufferRegion(codebooks_.get(), 0, staged.get(), 0, content.size_bytes());
    check(list->Close(), "closing a command list");

    const com_ptr<ID3D12CommandQueue> q = create_queue();
    com_ptr<ID3D12Fence>              fence;
    check(device_->CreateFence(0, D3D12_FENCE_FLAG_NONE, __uuidof(ID3D12Fence), fence.out()), "creating a fence");
    ID3D12CommandList * lists[] = { list.get() };
    q->ExecuteCommandLists(1, lists);
    check(q->Signal(fence.get(), 1), "signalling a fence");
    queue(*this).wait_on_cpu(*fence.get(), 1);
}

}  // namespace ggml_directx::d3d12
