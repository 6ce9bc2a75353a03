#include "d3d12/staging.h"

#include <algorithm>

namespace ggml_directx::d3d12 {

namespace {

constexpr uint64_t alignment = 256;

uint64_t round_up(uint64_t v) {
    return (v + alignment - 1) / alignment * alignment;
}

}  // namespace

staging_ring::slice staging_ring::take(uint64_t size, uint64_t completed) {
    const auto fits = [&](const part & p) { return p.used + size <= p.memory->size; };
    for (part & p : parts_) {
        if (p.busy_until <= completed) {
            p.used = 0;
        }
    }
    if (parts_.empty() || !fits(parts_[current_])) {
        size_t next = 0;
        while (next < parts_.size() && !fits(parts_[next])) {
            ++next;
        }
        if (next == parts_.size()) {
            if (parts_.size() == max_chunks) {
                return {};
            }
            parts_.push_back({ device_.allocate(parts_.empty() && size <= first_chunk ? first_chunk : chunk, kind_) });
        }
        current_ = next;
    }
    part &      p = parts_[current_];
    const slice s{ p.memory->resource.get(), p.used, static_cast<uint8_t *>(p.memory->mapped) + p.used };
    p.used       = round_up(p.used + size);
    p.busy_until = not_stamped;
    return s;
}

void staging_ring::stamp(uint64_t value) {
    for (part & p : parts_) {
        if (p.busy_until == not_stamped) {
            p.busy_until = value;
        }
    }
}

uint64_t staging_ring::oldest(uint64_t size) const {
    uint64_t first = not_stamped;
    for (const part & p : parts_) {
        if (size <= p.memory->size) {
            first = std::min(first, p.busy_until);
        }
    }
    return first;
}

}  // namespace ggml_directx::d3d12
