#include "d3d12/stream.h"

#include "d3d12/profiler.h"
#include "d3d12/queue.h"
#include "d3d12/staging.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <initializer_list>

namespace ggml_directx::d3d12 {

namespace {

// Of a mapped buffer that is in use, transfers up to this size go through the GPU's queue; larger ones wait for it, which
// costs less than a second copy.
constexpr uint64_t queued_limit = 1ull << 20;

// The fence value of what has not been submitted yet.
constexpr uint64_t not_submitted = UINT64_MAX;

// Distinct ranges in one list of copies; past this it is sent off.
constexpr size_t max_ranges = 256;

uint8_t * bytes_of(const buffer & b, uint64_t offset) {
    return static_cast<uint8_t *>(b.mapped) + offset;
}

}  // namespace

struct stream::impl {
    explicit impl(device & d) : dev(d), q(d), up(d, memory_kind::upload), down(d, memory_kind::readback) {}

    struct copy_list {
        com_ptr<ID3D12CommandAllocator>    allocator;
        com_ptr<ID3D12GraphicsCommandList> list;
        uint64_t                           busy_until = 0;
    };

    // A range of a buffer that the open list reads or writes.
    struct range {
        const ID3D12Resource * resource;
        bool                   written;
        uint64_t               begin;
        uint64_t               end;
    };

    // Bytes on their way to the caller: from staging memory once the fence has reached `value`.
    struct arrival {
        const uint8_t * from;
        uint8_t *       to;
        uint64_t        size;  // of a row
        uint64_t        n_rows;
        uint64_t        stride;  // in the destination
        uint64_t        value;
    };

    device &                                dev;
    queue                                   q;
    staging_ring                            up;
    staging_ring                            down;
    std::vector<std::unique_ptr<copy_list>> lists;
    copy_list *                             open = nullptr;
    std::vector<range>                      ranges;
    std::deque<arrival>                     arrivals;
    std::unique_ptr<buffer>                 bounce;  // for copies within a buffer

    void begin() {
        if (open) {
            return;
        }
        dev.check(dev.lost() ? DXGI_ERROR_DEVICE_REMOVED : S_OK, "copying");
        const uint64_t done = q.completed();
        const auto     free = std::find_if(lists.begin(), lists.end(), [&](const auto & l) { return l->busy_until <= done; });
        ID3D12Device * d    = dev.handle();
        if (free != lists.end()) {
            copy_list & l = **free;
            dev.check(l.allocator->Reset(), "resetting a command allocator");
            dev.check(l.list->Reset(l.allocator.get(), nullptr), "resetting a command list");
            open = &l;
            return;
        }
        auto l = std::make_unique<copy_list>();
        dev.check(d->CreateCommandAllocator(dev.list_type(), __uuidof(ID3D12CommandAllocator), l->allocator.out()),
                  "creating a command allocator");
        dev.check(d->CreateCommandList(0, dev.list_type(), l->allocator.get(), nullptr, __uuidof(ID3D12GraphicsCommandList), l->list.out()),
                  "creating a command list");
        open = l.get();
        lists.push_back(std::move(l));
    }

    // Sends off the open list of copies; only now is it known which fence value will stand for it.
    void flush() {
        if (!open) {
            return;
        }
        copy_list & l = *open;
        open          = nullptr;
        ranges.clear();
        dev.check(l.list->Close(), "closing a command list");
        q.execute(l.list.get(), work_kind::transfer);
        l.busy_until = q.next_value();
        up.stamp(l.busy_until);
        down.stamp(l.busy_until);
        for (auto a = arrivals.rbegin(); a != arrivals.rend() && a->value == not_submitted; ++a) {
            a->value = l.busy_until;
        }
    }

    bool idle() { return !open && q.idle(); }

    void finish() {
        flush();
        const uint64_t value = q.signal();
        q.wait_for(value);
        deliver(value);
    }

    void deliver(uint64_t done) {
        while (!arrivals.empty() && arrivals.front().value <= done) {
            const arrival & a = arrivals.front();
            for (uint64_t r = 0; r < a.n_rows; ++r) {
                std::memcpy(a.to + r * a.stride, a.from + r * a.size, a.size);
            }
            arrivals.pop_front();
        }
    }

    bool conflicts(const range & n) const {
        return std::any_of(ranges.begin(), ranges.end(), [&](const range & r) {
            // a buffer is read or written by a list of copies, never both: there are no transitions inside
            return r.resource == n.resource && (r.written != n.written || (n.written && r.begin < n.end && n.begin < r.end));
        });
    }

    void note(const range & n) {
        for (range & r : ranges) {
            if (r.resource == n.resource && r.written == n.written && r.begin <= n.end && n.begin <= r.end) {
                r.begin = std::min(r.begin, n.begin);
                r.end   = std::max(r.end, n.end);
                return;
            }
        }
        ranges.push_back(n);
    }

    static range range_of(const buffer & b, bool written, uint64_t offset, uint64_t size) {
        return { b.resource.get(), written, offset, offset + size };
    }

    // Before copies are added to the open list that touch these ranges.
    void claim(std::initializer_list<range> wanted) {
        if (ranges.size() + wanted.size() > max_ranges ||
            std::any_of(wanted.begin(), wanted.end(), [&](const range & n) { return conflicts(n); })) {
            flush();
        }
        begin();
        for (const range & n : wanted) {
            note(n);
        }
    }

    // Staging memory for a copy to or from `b` that is recorded next, in the list that is open then.
    staging_ring::slice stage(staging_ring & ring, uint64_t bytes, const buffer & b, bool written, uint64_t offset, uint64_t size) {
        for (;;) {
            claim({ range_of(b, written, offset, size) });
            const uint64_t done = q.completed();
            deliver(done);  // before what it comes from is used again
            const staging_ring::slice s = ring.take(bytes, done);
            if (s.resource) {
                return s;
            }
            flush();
            q.signal();
            q.wait_for(ring.oldest(bytes));
        }
    }

    void add_copy(ID3D12Resource * dst, uint64_t dst_offset, ID3D12Resource * src, uint64_t src_offset, uint64_t size) {
        open->list->CopyBufferRegion(dst, dst_offset, src, src_offset, size);
    }
};

namespace {

void expect_inside(const buffer & b, uint64_t offset, uint64_t size) {
    if (offset > b.size || size > b.size - offset) {
        throw error(E_INVALIDARG, "a transfer of " + std::to_string(size) + " bytes at " + std::to_string(offset) +
                                      " leaves its buffer of " + std::to_string(b.size));
    }
}

uint64_t extent(uint64_t size, uint64_t n_rows, uint64_t stride) {
    return n_rows == 0 ? 0 : (n_rows - 1) * stride + size;
}

}  // namespace

stream::stream(device & dev) : device_(dev), impl_(std::make_unique<impl>(dev)) {}

stream::~stream() {
    try {
        impl_->finish();
    } catch (const error &) {
        // a lost device runs nothing any more
    }
}

void stream::upload(buffer & dst, uint64_t dst_offset, const void * src, uint64_t size) {
    upload_2d(dst, dst_offset, src, size, 1, size, size);
}

void stream::upload_2d(buffer & dst, uint64_t dst_offset, const void * src, uint64_t size, uint64_t n_rows, uint64_t dst_stride,
                       uint64_t src_stride) {
    if (size == 0 || n_rows == 0) {
        return;
    }
    expect_inside(dst, dst_offset, extent(size, n_rows, dst_stride));
    if (n_rows > 1 && dst_stride == size && src_stride == size) {
        size *= n_rows;
        n_rows = 1;
    }
    impl &       s    = *impl_;
    const auto * from = static_cast<const uint8_t *>(src);
    if (dst.mapped) {
        if (!s.idle() && size * n_rows > queued_limit) {
            s.finish();
        }
        if (s.idle()) {
            for (uint64_t r = 0; r < n_rows; ++r) {
                std::memcpy(bytes_of(dst, dst_offset + r * dst_stride), from + r * src_stride, size);
            }
            return;
        }
    }
    if (size > staging_ring::chunk) {
        for (uint64_t r = 0; r < n_rows; ++r) {
            for (uint64_t at = 0; at < size; at += staging_ring::chunk) {
                const uint64_t n = std::min(size - at, staging_ring::chunk);
                upload_2d(dst, dst_offset + r * dst_stride + at, from + r * src_stride + at, n, 1, n, n);
            }
        }
        return;
    }
    const uint64_t rows_at_once = staging_ring::chunk / size;
    for (uint64_t r = 0; r < n_rows; r += rows_at_once) {
        const uint64_t            rows   = std::min(rows_at_once, n_rows - r);
        const uint64_t            offset = dst_offset + r * dst_stride;
        const staging_ring::slice mem    = s.stage(s.up, rows * size, dst, true, offset, extent(size, rows, dst_stride));
        for (uint64_t i = 0; i < rows; ++i) {
            std::memcpy(mem.data + i * size, from + (r + i) * src_stride, size);
        }
        for (uint64_t i = 0; i < rows; ++i) {
            s.add_copy(dst.resource.get(), offset + i * dst_stride, mem.resource, mem.offset + i * size, size);
        }
    }
}

void stream::readback(const buffer & src, uint64_t src_offset, void * dst, uint64_t size) {
    readback_2d(src, src_offset, dst, size, 1, size, size);
}

void stream::readback_2d(const buffer & src, uint64_t src_offset, void * dst, uint64_t size, uint64_t n_rows, uint64_t src_stride,
                         uint64_t dst_stride) {
    if (size == 0 || n_rows == 0) {
        return;
    }
    expect_inside(src, src_offset, extent(size, n_rows, src_stride));
    if (n_rows > 1 && dst_stride == size && src_stride == size) {
        size *= n_rows;
        n_rows = 1;
    }
    impl & s  = *impl_;
    auto * to = static_cast<uint8_t *>(dst);
    if (src.mapped) {
        if (!s.idle() && size * n_rows > queued_limit) {
            s.finish();
        }
        if (s.idle()) {
            for (uint64_t r = 0; r < n_rows; ++r) {
                std::memcpy(to + r * dst_stride, bytes_of(src, src_offset + r * src_stride), size);
            }
            return;
        }
    }
    if (size > staging_ring::chunk) {
        for (uint64_t r = 0; r < n_rows; ++r) {
            for (uint64_t at = 0; at < size; at += staging_ring::chunk) {
                const uint64_t n = std::min(size - at, staging_ring::chunk);
                readback_2d(src, src_offset + r * src_stride + at, to + r * dst_stride + at, n, 1, n, n);
            }
        }
        return;
    }
    const uint64_t rows_at_once = staging_ring::chunk / size;
    for (uint64_t r = 0; r < n_rows; r += rows_at_once) {
        const uint64_t            rows   = std::min(rows_at_once, n_rows - r);
        const uint64_t            offset = src_offset + r * src_stride;
        const staging_ring::slice mem    = s.stage(s.down, rows * size, src, false, offset, extent(size, rows, src_stride));
        for (uint64_t i = 0; i < rows; ++i) {
            s.add_copy(mem.resource, mem.offset + i * size, src.resource.get(), offset + i * src_stride, size);
        }
        s.arrivals.push_back({ mem.data, to + r * dst_stride, size, rows, dst_stride, not_submitted });
    }
}

void stream::copy(buffer & dst, uint64_t dst_offset, const buffer & src, uint64_t src_offset, uint64_t size) {
    if (size == 0) {
        return;
    }
    expect_inside(dst, dst_offset, size);
    expect_inside(src, src_offset, size);
    impl & s = *impl_;
    if (dst.resource.get() != src.resource.get()) {
        s.claim({ s.range_of(src, false, src_offset, size), s.range_of(dst, true, dst_offset, size) });
        s.add_copy(dst.resource.get(), dst_offset, src.resource.get(), src_offset, size);
        return;
    }
    // A buffer cannot be read and written by one list of copies: by way of another buffer, piece by piece, from the end
    // that an overlap leaves intact.
    if (dst_offset == src_offset) {
        return;
    }
    if (!s.bounce) {
        s.bounce = device_.allocate(staging_ring::first_chunk, memory_kind::device);
    }
    const uint64_t piece = s.bounce->size;
    const uint64_t n     = (size + piece - 1) / piece;
    for (uint64_t i = 0; i < n; ++i) {
        const uint64_t at    = (dst_offset < src_offset ? i : n - 1 - i) * piece;
        const uint64_t bytes = std::min(piece, size - at);
        copy(*s.bounce, 0, src, src_offset + at, bytes);
        copy(dst, dst_offset + at, *s.bounce, 0, bytes);
    }
}

void stream::fill(buffer & dst, uint64_t offset, uint64_t size, uint8_t value) {
    if (size == 0) {
        return;
    }
    expect_inside(dst, offset, size);
    impl & s = *impl_;
    if (dst.mapped) {
        if (!s.idle() && size > queued_limit) {
            s.finish();
        }
        if (s.idle()) {
            std::memset(bytes_of(dst, offset), value, size);
            return;
        }
    }
    // Direct3D's own clear wants descriptors and multiples of 4: copy a pattern instead, as often as it takes.
    const uint64_t            piece   = std::min(size, staging_ring::first_chunk);
    const staging_ring::slice pattern = s.stage(s.up, piece, dst, true, offset, size);
    std::memset(pattern.data, value, piece);
    for (uint64_t at = 0; at < size; at += piece) {
        s.add_copy(dst.resource.get(), offset + at, pattern.resource, pattern.offset, std::min(piece, size - at));
    }
}

sync_point stream::submit(const recording & r) {
    impl_->flush();
    if (r.times()) {
        device_.timing()->collect(*r.times());
        r.times()->submitted();
    }
    impl_->q.execute(r.list(), work_kind::dispatch);
    return record();
}

sync_point stream::record() {
    impl_->flush();
    impl_->q.signal();
    return { impl_->q.last_point().fence, impl_->q.last_point().value };
}

void stream::wait(const sync_point & p) {
    if (p.fence) {
        impl_->flush();
        impl_->q.wait_on_gpu(*p.fence.get(), p.value);
    }
}

void stream::synchronize(const sync_point & p) {
    if (!p.fence) {
        return;
    }
    impl_->flush();
    impl_->q.signal();
    impl_->q.wait_on_cpu(*p.fence.get(), p.value);
    impl_->deliver(impl_->q.completed());
}

bool stream::reached(const sync_point & p) const {
    return !p.fence || p.fence->GetCompletedValue() >= p.value;
}

void stream::synchronize() {
    impl_->finish();
    device_.check(device_.lost() ? DXGI_ERROR_DEVICE_REMOVED : S_OK, "running what was submitted");
}

}  // namespace ggml_directx::d3d12
