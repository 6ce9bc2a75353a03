#include "ggml/device_context.h"

#include <vector>

namespace ggml_directx {

device_context::device_context(std::unique_ptr<d3d12::device> dev, std::string name, std::string description)
    : device_(std::move(dev)), name_(std::move(name)), description_(std::move(description)), host_name_(name_ + "_Host"),
      transfers_(*device_) {}

void device_context::await_transfers(d3d12::stream & s, d3d12::sync_point & seen) {
    std::lock_guard lock(points_mutex_);
    if (published_.fence && published_.value != seen.value) {
        s.wait(published_);
        seen = published_;
    }
}

void device_context::note_progress(const d3d12::stream * s, const d3d12::sync_point & point) {
    std::lock_guard lock(points_mutex_);
    progress_[s] = point;
}

void device_context::forget_stream(const d3d12::stream * s) {
    std::lock_guard lock(points_mutex_);
    progress_.erase(s);
}

void device_context::synchronize(const d3d12::sync_point & point) {
    std::lock_guard lock(transfers_mutex_);
    transfers_.synchronize(point);
}

void device_context::synchronize_all() {
    std::vector<d3d12::sync_point> points;
    {
        std::lock_guard lock(points_mutex_);
        for (const auto & [stream, point] : progress_) {
            points.push_back(point);
        }
    }
    std::lock_guard lock(transfers_mutex_);
    transfers_.synchronize();
    for (const d3d12::sync_point & point : points) {
        transfers_.synchronize(point);
    }
}

void * device_context::allocate_host_memory(size_t size) {
    std::unique_ptr<d3d12::buffer> memory = device_->allocate(size, d3d12::memory_kind::host);
    void *                         base   = memory->mapped;
    std::lock_guard                lock(host_mutex_);
    host_memory_[base] = std::move(memory);
    return base;
}

void device_context::release_host_memory(void * base) {
    std::lock_guard lock(host_mutex_);
    host_memory_.erase(base);
}

}  // namespace ggml_directx
