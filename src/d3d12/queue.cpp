#include "d3d12/queue.h"

namespace ggml_directx::d3d12 {

queue::queue(device & dev) : device_(dev), queue_(dev.create_queue()), event_(dev.platform().create_event()) {
    dev.check(dev.handle()->CreateFence(0, D3D12_FENCE_FLAG_NONE, __uuidof(ID3D12Fence), fence_.out()), "creating a fence");
}

void queue::execute(ID3D12GraphicsCommandList * list, work_kind kind) {
    device_.before_submission();
    // Recordings begin with a barrier of their own where lists are not ordered.
    const bool ordered = device_.platform().orders_command_lists() || last_ == work_kind::none ||
                         (last_ == work_kind::dispatch && kind == work_kind::dispatch);
    if (!ordered) {
        const uint64_t before = signal();
        device_.check(queue_->Wait(fence_.get(), before), "waiting on the GPU");
    }
    ID3D12CommandList * lists[] = { list };
    queue_->ExecuteCommandLists(1, lists);
    unsignalled_ = true;
    last_        = kind;
}

uint64_t queue::signal() {
    if (unsignalled_) {
        device_.check(queue_->Signal(fence_.get(), signalled_ + 1), "signalling a fence");
        ++signalled_;
        unsignalled_ = false;
    }
    return signalled_;
}

uint64_t queue::completed() {
    const uint64_t value = fence_->GetCompletedValue();
    if (value == UINT64_MAX) {
        const HRESULT reason = device_.handle()->GetDeviceRemovedReason();
        device_.check(FAILED(reason) ? reason : DXGI_ERROR_DEVICE_REMOVED, "running what was submitted");
    }
    return value;
}

void queue::wait_on_gpu(ID3D12Fence & fence, uint64_t value) {
    if (&fence == fence_.get() || fence.GetCompletedValue() >= value) {
        return;
    }
    if (!device_.platform().orders_command_lists()) {
        // libvkd3d 1.2 lets each signal be waited for once only, and drops what comes after.
        wait_on_cpu(fence, value);
        return;
    }
    device_.check(queue_->Wait(&fence, value), "waiting on the GPU");
    unsignalled_ = true;
}

void queue::wait_on_cpu(ID3D12Fence & fence, uint64_t value) {
    uint64_t now = fence.GetCompletedValue();
    while (now < value) {
        device_.check(fence.SetEventOnCompletion(value, event_ ? event_->handle() : nullptr), "waiting for the GPU");
        if (event_) {
            event_->wait();
        }
        now = fence.GetCompletedValue();
    }
    if (now == UINT64_MAX || device_.lost()) {
        const HRESULT reason = device_.handle()->GetDeviceRemovedReason();
        device_.check(FAILED(reason) ? reason : DXGI_ERROR_DEVICE_REMOVED, "running what was submitted");
    }
}

}  // namespace ggml_directx::d3d12
