#include "ggml/plan_cache.h"

#include "ggml/buffer.h"

#include "ggml-impl.h"

#include <algorithm>

namespace ggml_directx {

namespace {

uint64_t buffer_id(const ggml_tensor * tensor) {
    const ggml_backend_buffer * buffer = tensor->view_src ? tensor->view_src->buffer : tensor->buffer;
    return is_device_buffer(buffer) ? memory_of(tensor).uid : 0;
}

}  // namespace

plan_cache::plan_cache(d3d12::device & dev, d3d12::stream & stream) : device_(dev), stream_(stream) {}

plan_cache::~plan_cache() {
    try {
        stream_.synchronize();
    } catch (const d3d12::error &) {
        // a lost device has no work in flight
    }
}

recorded_plan & plan_cache::get(const ggml_cgraph * graph, uint64_t part_budget) {
    ++clock_;
    // ggml gives a graph that it hands over again unchanged the same non-zero id: no need to look at its nodes.
    fingerprint print;
    auto        found = plans_.end();
    if (graph->uid != 0) {
        found = std::find_if(plans_.begin(), plans_.end(), [&](const auto & p) { return p->graph_uid == graph->uid; });
    }
    if (found == plans_.end()) {
        print = fingerprint_of(graph, buffer_id);
        found = std::find_if(plans_.begin(), plans_.end(), [&](const auto & p) { return p->graph == print; });
    }
    if (found != plans_.end()) {
        recorded_plan & p = **found;
        p.graph_uid       = graph->uid;
        p.used            = clock_;
        if (part_budget < p.part_budget / 2) {
            stream_.synchronize(p.last);
            record(p, part_budget);
        }
        ++statistics_.replayed;
        return p;
    }

    plan made = make_plan(graph, device_.library(), device_.caps());
    found     = std::find_if(plans_.begin(), plans_.end(), [&](const auto & p) { return p->source.structure == made.structure; });
    if (found != plans_.end()) {
        recorded_plan & p = **found;
        p.source          = std::move(made);
        upload_args(p);
        p.graph     = print;
        p.graph_uid = graph->uid;
        p.used      = clock_;
        ++statistics_.updated;
        return p;
    }

    reserve_scratch(made.work.scratch_size);
    if (plans_.size() >= max_plans) {
        evict();
    }
    auto p       = std::make_unique<recorded_plan>();
    p->source    = std::move(made);
    p->graph     = print;
    p->graph_uid = graph->uid;
    p->used      = clock_;
    for (const step & s : p->source.work.steps) {
        p->work += s.work;
    }
    if (!p->source.work.args.empty()) {
        p->args = device_.allocate(p->source.work.args.size(), d3d12::memory_kind::device);
        upload_args(*p);
    }
    record(*p, part_budget);
    ++statistics_.recorded;
    plans_.push_back(std::move(p));
    return *plans_.back();
}

void plan_cache::upload_args(recorded_plan & p) {
    const std::vector<uint8_t> & args = p.source.work.args;
    stream_.upload(*p.args, 0, args.data(), args.size());
}

void plan_cache::record(recorded_plan & p, uint64_t part_budget) {
    const std::vector<step> &   steps  = p.source.work.steps;
    const std::vector<uint32_t> starts = split_by_work(steps, part_budget);
    p.parts.clear();
    p.part_budget = part_budget;
    for (size_t part = 0; part < starts.size(); ++part) {
        const size_t end = part + 1 < starts.size() ? starts[part + 1] : steps.size();
        auto         r   = std::make_unique<d3d12::recording>(device_);
        for (size_t i = starts[part]; i < end; ++i) {
            const step & s = steps[i];
            if (p.source.barriers[i] && i != starts[part]) {
                r->barrier();
            }
            uint64_t addresses[max_bindings];
            for (uint32_t b = 0; b < s.n_bindings; ++b) {
                const region &        target = s.bindings[b].target;
                const d3d12::buffer & memory = target.buffer ? *static_cast<const d3d12::buffer *>(target.buffer) : *scratch_;
                addresses[b]                 = memory.address + target.offset / bind_alignment * bind_alignment;
            }
            r->bind(device_.pipeline(*s.pipeline), addresses, s.n_bindings, p.args->address + s.args_offset);
            r->dispatch(s.grid[0], s.grid[1], s.grid[2]);
        }
        r->close();
        p.parts.push_back(std::move(r));
    }
}

// Recordings hold the address of the scratch memory: when it moves, those that use it go.
void plan_cache::reserve_scratch(uint64_t size) {
    if (size == 0 || (scratch_ && scratch_->size >= size)) {
        return;
    }
    stream_.synchronize();
    std::erase_if(plans_, [](const auto & p) { return p->source.work.scratch_size > 0; });
    scratch_.reset();
    scratch_ = device_.allocate(size, d3d12::memory_kind::device);
}

void plan_cache::evict() {
    const auto oldest = std::min_element(plans_.begin(), plans_.end(), [](const auto & a, const auto & b) { return a->used < b->used; });
    stream_.synchronize((*oldest)->last);
    plans_.erase(oldest);
    ++statistics_.evicted;
}

}  // namespace ggml_directx
