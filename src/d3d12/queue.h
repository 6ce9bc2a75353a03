#pragma once

// A command queue with its fence: what streams are made of.

#include "d3d12/device.h"
#include "d3d12/platform/runtime.h"

#include <cstdint>
#include <memory>

namespace ggml_directx::d3d12 {

enum class work_kind : uint8_t { none, transfer, dispatch };

class queue {
public:
    explicit queue(device & dev);

    // Runs a closed list after everything before it.
    void execute(ID3D12GraphicsCommandList * list, work_kind kind);

    // The fence value that stands for everything submitted so far; signals if need be.
    uint64_t signal();
    // The value that the next signal() with work before it will give.
    uint64_t next_value() const { return signalled_ + 1; }
    uint64_t completed();
    bool     idle() { return !unsignalled_ && completed() >= signalled_; }

    // Later work waits for the fence on the GPU.
    void wait_on_gpu(ID3D12Fence & fence, uint64_t value);
    // Blocks. Throws d3d12::error if the device is lost.
    void wait_on_cpu(ID3D12Fence & fence, uint64_t value);

    const com_ptr<ID3D12Fence> & fence() const { return fence_; }

private:
    device &                    device_;
    com_ptr<ID3D12CommandQueue> queue_;
    com_ptr<ID3D12Fence>        fence_;
    std::unique_ptr<event>      event_;
    uint64_t                    signalled_   = 0;
    bool                        unsignalled_ = false;
    work_kind                   last_        = work_kind::none;
};

}  // namespace ggml_directx::d3d12
