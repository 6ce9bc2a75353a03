#pragma once

#include "d3d12/device.h"
#include "ops/step.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ggml_directx::d3d12 {

class dispatch_times;

// A command list, closed and ready to be submitted again and again: the recording of (part of) a plan.
class recording {
public:
    recording(device & dev);
    ~recording();

    // Between construction and close().
    void bind(ID3D12PipelineState * pipeline, const uint64_t * addresses, uint32_t n, uint64_t args_address);
    void dispatch(uint32_t x, uint32_t y, uint32_t z);
    void barrier();  // all writes so far are seen by what follows
    void close();

    ID3D12GraphicsCommandList * list() const { return list_.get(); }
    dispatch_times *            times() const { return times_.get(); }

private:
    device &                           device_;
    com_ptr<ID3D12CommandAllocator>    allocator_;
    com_ptr<ID3D12GraphicsCommandList> list_;
    ID3D12PipelineState *              pipeline_     = nullptr;
    uint64_t                           args_address_ = 0;
    std::array<uint64_t, max_bindings> addresses_{};  // as bound now; 0: nothing yet
    std::unique_ptr<dispatch_times>    times_;        // only when profiling
};

// A point in a stream's work. Cheap to copy; outlives the stream.
struct sync_point {
    com_ptr<ID3D12Fence> fence;
    uint64_t             value = 0;
};

// One queue, in order: transfers and recordings happen as submitted. Not thread-safe; one stream per ggml backend, and one
// more per device behind a mutex for the synchronous buffer functions.
class stream {
public:
    stream(device & dev);
    ~stream();  // waits for the work in flight

    // Copies `size` bytes into the buffer. The source may be reused on return.
    void upload(buffer & dst, uint64_t dst_offset, const void * src, uint64_t size);
    // Rows: n_rows times `size` bytes, `dst_stride` and `src_stride` bytes apart.
    void upload_2d(buffer & dst, uint64_t dst_offset, const void * src, uint64_t size, uint64_t n_rows, uint64_t dst_stride,
                   uint64_t src_stride);
    // Copies `size` bytes out. The destination is written by the next synchronize() at the latest, and must stay valid until then.
    void readback(const buffer & src, uint64_t src_offset, void * dst, uint64_t size);
    void readback_2d(const buffer & src, uint64_t src_offset, void * dst, uint64_t size, uint64_t n_rows, uint64_t src_stride,
                     uint64_t dst_stride);
    void copy(buffer & dst, uint64_t dst_offset, const buffer & src, uint64_t src_offset, uint64_t size);
    // Any offset and size, not only multiples of 4.
    void fill(buffer & dst, uint64_t offset, uint64_t size, uint8_t value);

    // Submits a closed recording. The caller keeps it, and does not submit it again before this submission is done.
    sync_point submit(const recording & r);

    // Flushes what is pending and returns the point after it.
    sync_point record();
    // Makes later work of this stream wait, on the GPU, for a point of another stream.
    void wait(const sync_point & p);
    // Blocks until the point is reached (also of another stream).
    void synchronize(const sync_point & p);
    bool reached(const sync_point & p) const;
    // Blocks until all is done; readbacks have arrived. Throws d3d12::error if the device is lost.
    void synchronize();

    device & owner() const { return device_; }

private:
    struct impl;
    device &              device_;
    std::unique_ptr<impl> impl_;
};

}  // namespace ggml_directx::d3d12
