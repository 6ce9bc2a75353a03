#pragma once

// GPU time per kernel, when GGML_DIRECTX_PROFILE=1: timestamps around every dispatch, a table when the device goes.

#include "d3d12/com.h"
#include "d3d12/memory.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ggml_directx::d3d12 {

class device;

// The timestamps of one recording.
class dispatch_times {
public:
    explicit dispatch_times(device & dev) : device_(dev) {}

    void before(ID3D12GraphicsCommandList & list, ID3D12PipelineState * pipeline);
    void after(ID3D12GraphicsCommandList & list);
    void resolve(ID3D12GraphicsCommandList & list);  // last in the list

    void submitted() { pending_ = true; }

private:
    friend class profiler;

    struct block {
        com_ptr<ID3D12QueryHeap> heap;
        std::unique_ptr<buffer>  results;
        uint32_t                 used = 0;
    };

    device &                           device_;
    std::vector<block>                 blocks_;
    std::vector<ID3D12PipelineState *> pipelines_;
    bool                               pending_ = false;
};

class profiler {
public:
    explicit profiler(device & dev);

    // False, after one warning, where the runtime has no timestamps.
    bool usable() const { return frequency_ != 0; }

    void name(ID3D12PipelineState * pipeline, const std::string & kernel);

    // Adds up what a finished submission has measured.
    void collect(dispatch_times & times);

    // Logs the table: kernels by time.
    void report();

private:
    struct total {
        uint64_t ticks = 0;
        uint64_t count = 0;
    };

    std::mutex                                   mutex_;
    uint64_t                                     frequency_ = 0;
    std::map<ID3D12PipelineState *, std::string> names_;
    std::map<std::string, total>                 totals_;
};

}  // namespace ggml_directx::d3d12
