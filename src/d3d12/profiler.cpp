#include "d3d12/profiler.h"

#include "d3d12/device.h"
#include "log.h"

#include <algorithm>

namespace ggml_directx::d3d12 {

namespace {
constexpr uint32_t dispatches_per_block = 512;
}

void dispatch_times::before(ID3D12GraphicsCommandList & list, ID3D12PipelineState * pipeline) {
    if (blocks_.empty() || blocks_.back().used == dispatches_per_block) {
        block                 b;
        D3D12_QUERY_HEAP_DESC desc{};
        desc.Type  = D3D12_QUERY_HEAP_TYPE_TIMESTAMP;
        desc.Count = 2 * dispatches_per_block;
        device_.check(device_.handle()->CreateQueryHeap(&desc, __uuidof(ID3D12QueryHeap), b.heap.out()), "creating a query heap");
        b.results = device_.allocate(desc.Count * sizeof(uint64_t), memory_kind::readback);
        blocks_.push_back(std::move(b));
    }
    pipelines_.push_back(pipeline);
    list.EndQuery(blocks_.back().heap.get(), D3D12_QUERY_TYPE_TIMESTAMP, 2 * blocks_.back().used);
}

void dispatch_times::after(ID3D12GraphicsCommandList & list) {
    list.EndQuery(blocks_.back().heap.get(), D3D12_QUERY_TYPE_TIMESTAMP, 2 * blocks_.back().used + 1);
    ++blocks_.back().used;
}

void dispatch_times::resolve(ID3D12GraphicsCommandList & list) {
    for (const block & b : blocks_) {
        list.ResolveQueryData(b.heap.get(), D3D12_QUERY_TYPE_TIMESTAMP, 0, 2 * b.used, b.results->resource.get(), 0);
    }
}

profiler::profiler(device & dev) {
    const com_ptr<ID3D12CommandQueue> queue     = dev.create_queue();
    UINT64                            frequency = 0;
    if (FAILED(queue->GetTimestampFrequency(&frequency)) || frequency == 0) {
        LOG_DX_WARN("GGML_DIRECTX_PROFILE: %s has no timestamps", dev.info().name.c_str());
    }
    frequency_ = frequency;
}

void profiler::name(ID3D12PipelineState * pipeline, const std::string & kernel) {
    std::lock_guard lock(mutex_);
    names_[pipeline] = kernel;
}

void profiler::collect(dispatch_times & times) {
    if (!std::exchange(times.pending_, false)) {
        return;
    }
    std::lock_guard lock(mutex_);
    size_t          i = 0;
    for (const dispatch_times::block & b : times.blocks_) {
        const auto * ticks = static_cast<const uint64_t *>(b.results->mapped);
        for (uint32_t d = 0; d < b.used; ++d, ++i) {
            total & t = totals_[names_[times.pipelines_[i]]];
            t.ticks += ticks[2 * d + 1] - std::min(ticks[2 * d], ticks[2 * d + 1]);
            ++t.count;
        }
    }
}

void profiler::report() {
    std::lock_guard                            lock(mutex_);
    std::vector<std::pair<std::string, total>> rows(totals_.begin(), totals_.end());
    std::sort(rows.begin(), rows.end(), [](const auto & a, const auto & b) { return a.second.ticks > b.second.ticks; });
    uint64_t all = 0;
    for (const auto & [kernel, t] : rows) {
        all += t.ticks;
    }
    if (all == 0) {
        return;
    }
    const double ms = 1000.0 / double(frequency_);
    LOG_DX_INFO("GPU time per kernel, %.1f ms in all:", double(all) * ms);
    LOG_DX_INFO("%10s %6s %8s %10s  kernel", "ms", "%", "calls", "us each");
    for (const auto & [kernel, t] : rows) {
        LOG_DX_INFO("%10.2f %6.1f %8llu %10.1f  %s", double(t.ticks) * ms, 100.0 * double(t.ticks) / double(all),
                    static_cast<unsigned long long>(t.count), double(t.ticks) * ms * 1000.0 / double(t.count),
                    kernel.empty() ? "?" : kernel.c_str());
    }
}

}  // namespace ggml_directx::d3d12
