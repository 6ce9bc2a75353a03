#include "d3d12/queue.h"

#include <algorithm>

namespace ggml_directx::d3d12 {

queue::queue(device & dev) : device_(dev), queue_(dev.create_queue()), event_(dev.platform().create_event()) {}

void queue::execute(ID3D12GraphicsCommandList * list, work_kind kind) {
    device_.before_submission();
    // Recordings begin with a barrier of their own where lists are not ordered.
    const bool ordered =
        device_.platform().conforming() || last_ == work_kind::none || (last_ == work_kind::dispatch && kind == work_kind::dispatch);
    if (!ordered && signal() > completed()) {
        device_.check(queue_->Wait(last_point_.fence.get(), last_point_.value), "waiting on the GPU");
    }
    ID3D12CommandList * lists[] = { list };
    queue_->ExecuteCommandLists(1, lists);
    unsignalled_ = true;
    last_        = kind;
}

queue::signal_fence & queue::free_fence() {
    const bool one_for_all = device_.platform().conforming();
    for (signal_fence & f : fences_) {
        const auto in_flight = [&](const pending_signal & p) { return p.fence == f.fence.get(); };
        if (one_for_all || std::none_of(pending_.begin(), pending_.end(), in_flight)) {
            return f;
        }
    }
    signal_fence f;
    device_.check(device_.handle()->CreateFence(0, D3D12_FENCE_FLAG_NONE, __uuidof(ID3D12Fence), f.fence.out()), "creating a fence");
    fences_.push_back(std::move(f));
    return fences_.back();
}

uint64_t queue::signal() {
    if (unsignalled_) {
        completed();
        signal_fence & f = free_fence();
        device_.check(queue_->Signal(f.fence.get(), f.value + 1), "signalling a fence");
        last_point_ = { f.fence, ++f.value };
        pending_.push_back({ ++signalled_, f.fence.get(), f.value });
        unsignalled_ = false;
    }
    return signalled_;
}

uint64_t queue::completed() {
    while (!pending_.empty()) {
        const pending_signal & p   = pending_.front();
        const uint64_t         now = p.fence->GetCompletedValue();
        if (now == UINT64_MAX) {
            throw_lost();
        }
        if (now < p.value) {
            break;
        }
        completed_ = p.number;
        pending_.pop_front();
    }
    return completed_;
}

void queue::wait_for(uint64_t value) {
    while (completed() < value && !pending_.empty()) {
        // the signal that is asked for: those before it have been reached then, too
        const auto found = std::find_if(pending_.begin(), pending_.end(), [&](const pending_signal & p) { return p.number >= value; });
        const pending_signal & p = found == pending_.end() ? pending_.back() : *found;
        wait_on_cpu(*p.fence, p.value);
    }
    if (device_.lost()) {
        throw_lost();
    }
}

bool queue::mine(const ID3D12Fence & fence) const {
    return std::any_of(fences_.begin(), fences_.end(), [&](const signal_fence & f) { return f.fence.get() == &fence; });
}

void queue::wait_on_gpu(ID3D12Fence & fence, uint64_t value) {
    if (mine(fence) || fence.GetCompletedValue() >= value) {
        return;
    }
    if (!device_.platform().conforming()) {
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
        throw_lost();
    }
}

void queue::throw_lost() {
    const HRESULT reason = device_.handle()->GetDeviceRemovedReason();
    device_.check(FAILED(reason) ? reason : DXGI_ERROR_DEVICE_REMOVED, "running what was submitted");
    throw error(DXGI_ERROR_DEVICE_REMOVED, "the device was lost");  // not reached: check throws
}

}  // namespace ggml_directx::d3d12
