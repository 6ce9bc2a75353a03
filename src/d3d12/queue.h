#pragma once

// A command queue and the fences that tell how far it is: what streams are made of.

#include "d3d12/device.h"
#include "d3d12/platform/runtime.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace ggml_directx::d3d12 {

enum class work_kind : uint8_t { none, transfer, dispatch };

class queue {
public:
    explicit queue(device & dev);

    // Runs a closed list after everything before it.
    void execute(ID3D12GraphicsCommandList * list, work_kind kind);

    // The number that stands for everything submitted so far; signals if need be.
    uint64_t signal();
    // The number that the next signal() with work before it will give.
    uint64_t next_value() const { return signalled_ + 1; }
    // The number that has been reached. Throws d3d12::error if the device is lost.
    uint64_t completed();
    bool     idle() { return !unsignalled_ && completed() >= signalled_; }
    void     wait_for(uint64_t value);

    // What stands for the last signal(), for others to wait for.
    struct point {
        com_ptr<ID3D12Fence> fence;
        uint64_t             value = 0;
    };
    const point & last_point() const { return last_point_; }

    // Later work waits for a fence on the GPU.
    void wait_on_gpu(ID3D12Fence & fence, uint64_t value);
    // Blocks. Throws d3d12::error if the device is lost.
    void wait_on_cpu(ID3D12Fence & fence, uint64_t value);

private:
    struct signal_fence {
        com_ptr<ID3D12Fence> fence;
        uint64_t             value = 0;
    };

    struct pending_signal {
        uint64_t      number;
        ID3D12Fence * fence;
        uint64_t      value;
    };

    signal_fence &    free_fence();
    bool              mine(const ID3D12Fence & fence) const;
    [[noreturn]] void throw_lost();

    device &                    device_;
    com_ptr<ID3D12CommandQueue> queue_;
    std::vector<signal_fence>   fences_;  // one; where a fence's value may fall, one for each signal in flight
    std::deque<pending_signal>  pending_;
    point                       last_point_;
    std::unique_ptr<event>      event_;
    uint64_t                    signalled_   = 0;
    uint64_t                    completed_   = 0;
    bool                        unsignalled_ = false;
    work_kind                   last_        = work_kind::none;
};

}  // namespace ggml_directx::d3d12
