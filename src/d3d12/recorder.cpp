#include "d3d12/platform/runtime.h"
#include "d3d12/profiler.h"
#include "d3d12/stream.h"

namespace ggml_directx::d3d12 {

recording::recording(device & dev) : device_(dev) {
    ID3D12Device * d = dev.handle();
    dev.check(dev.lost() ? DXGI_ERROR_DEVICE_REMOVED : S_OK, "recording commands");
    dev.check(d->CreateCommandAllocator(dev.list_type(), __uuidof(ID3D12CommandAllocator), allocator_.out()),
              "creating a command allocator");
    dev.check(d->CreateCommandList(0, dev.list_type(), allocator_.get(), nullptr, __uuidof(ID3D12GraphicsCommandList), list_.out()),
              "creating a command list");
    list_->SetComputeRootSignature(dev.root_signature());
    list_->SetComputeRootShaderResourceView(device::codebooks_parameter, dev.codebooks());
    if (!dev.platform().conforming()) {
        barrier();
    }
    if (dev.timing() && dev.timing()->usable()) {
        times_ = std::make_unique<dispatch_times>(dev);
    }
}

recording::~recording() {
    if (times_) {
        device_.timing()->collect(*times_);
    }
}

void recording::bind(ID3D12PipelineState * pipeline, const uint64_t * addresses, uint32_t n, uint64_t args_address) {
    if (pipeline != pipeline_) {
        list_->SetPipelineState(pipeline);
        pipeline_ = pipeline;
    }
    if (args_address != args_address_) {
        list_->SetComputeRootConstantBufferView(0, args_address);
        args_address_ = args_address;
    }
    if (n == 0) {
        return;
    }
    // Slots that this kernel does not use keep what they have; the first bind gives all of them something valid.
    const uint32_t to_set = addresses_[0] == 0 ? max_bindings : n;
    for (uint32_t i = 0; i < to_set; ++i) {
        const uint64_t address = addresses[i < n ? i : 0];
        if (address != addresses_[i]) {
            list_->SetComputeRootUnorderedAccessView(1 + i, address);
            addresses_[i] = address;
        }
    }
}

void recording::dispatch(uint32_t x, uint32_t y, uint32_t z) {
    if (times_) {
        barrier();  // else the time would include what still runs
        times_->before(*list_.get(), pipeline_);
    }
    list_->Dispatch(x, y, z);
    if (times_) {
        times_->after(*list_.get());
    }
}

void recording::barrier() {
    D3D12_RESOURCE_BARRIER b{};
    b.Type          = D3D12_RESOURCE_BARRIER_TYPE_UAV;
    b.UAV.pResource = nullptr;  // all resources
    list_->ResourceBarrier(1, &b);
}

void recording::close() {
    if (times_) {
        times_->resolve(*list_.get());
    }
    device_.check(list_->Close(), "closing a command list");
}

}  // namespace ggml_directx::d3d12
