#include "ops/encoder.h"

#include "d3d12/memory.h"

#include "ggml-backend-impl.h"

#include <algorithm>
#include <span>
#include <utility>

namespace ggml_directx {

namespace {

constexpr uint32_t max_grid_side = 65535;

// Constant buffers are bound at multiples of 256 bytes too.
constexpr size_t args_alignment = 256;

constexpr uint64_t align_up(uint64_t n, uint64_t to) {
    return (n + to - 1) / to * to;
}

}  // namespace

encoder::encoder(const kernel_library & library, const d3d12::capabilities & caps, step_list * out)
    : library_(library), caps_(caps), out_(out) {}

void encoder::set_node(uint32_t index) {
    next_         = {};
    next_.node    = index;
    addressable_  = true;
    scratch_used_ = 0;
}

ggml_tensor encoder::temporary(ggml_type type, const std::array<int64_t, GGML_MAX_DIMS> & ne) {
    ggml_tensor t{};
    t.type  = type;
    t.extra = this;
    std::copy(ne.begin(), ne.end(), t.ne);
    t.nb[0] = ggml_type_size(type);
    t.nb[1] = ggml_row_size(type, ne[0]);
    t.nb[2] = t.nb[1] * size_t(ne[1]);
    t.nb[3] = t.nb[2] * size_t(ne[2]);
    t.data  = reinterpret_cast<void *>(uintptr_t(scratch(t.nb[3] * size_t(ne[3])).offset));
    return t;
}

region encoder::place_of(const ggml_tensor * tensor) const {
    if (tensor->extra == this) {  // a temporary
        region r;
        r.offset = reinterpret_cast<uintptr_t>(tensor->data);
        r.size   = ggml_nbytes(tensor);
        return r;
    }
    const ggml_tensor * owner  = tensor->view_src ? tensor->view_src : tensor;
    const auto *        memory = static_cast<const d3d12::buffer *>(owner->buffer->context);

    region r;
    r.buffer = memory;
    r.uid    = memory->uid;
    r.offset = uint64_t(static_cast<const char *>(tensor->data) - static_cast<const char *>(ggml_backend_buffer_get_base(owner->buffer)));
    r.size   = ggml_nbytes(tensor);
    return r;
}

args::tensor_args encoder::bind(const ggml_tensor * tensor, access mode) {
    args::tensor_args a{};
    for (int i = 0; i < GGML_MAX_DIMS; ++i) {
        const uint64_t ne = uint64_t(tensor->ne[i]);
        // The stride of a dimension with one element is never used: a view of a huge tensor may carry a huge one.
        const uint64_t nb = ne == 1 ? std::min<uint64_t>(tensor->nb[i], UINT32_MAX) : tensor->nb[i];
        addressable_ &= ne <= UINT32_MAX && nb <= UINT32_MAX;
        a.ne[i] = uint32_t(ne);
        a.nb[i] = uint32_t(nb);
    }

    region r;
    r.size = ggml_nbytes(tensor);
    addressable_ &= r.size < caps_.max_span;
    if (!asking() && r.size > 0) {
        r = place_of(tensor);
    }
    a.offset = bind(r, mode);
    return a;
}

uint32_t encoder::bind(const region & target, access mode) {
    if (next_.n_bindings == max_bindings) {
        addressable_ = false;
        return 0;
    }
    next_.bindings[next_.n_bindings++] = { target, mode };
    return uint32_t(target.offset % bind_alignment);
}

args::tensor_args encoder::none() {
    bind(region{}, access::read);
    return {};
}

region encoder::scratch(uint64_t bytes) {
    region r;
    r.offset      = align_up(scratch_used_, bind_alignment);
    r.size        = bytes;
    scratch_used_ = r.offset + bytes;
    if (bytes >= caps_.max_span) {
        addressable_ = false;
    }
    if (out_) {
        out_->scratch_size = std::max(out_->scratch_size, align_up(scratch_used_, bind_alignment));
    }
    return r;
}

bool encoder::dispatch_bytes(std::string_view name, const void * args, size_t size, uint64_t x, uint64_t y, uint64_t z, uint64_t work) {
    step s     = std::exchange(next_, {});
    next_.node = s.node;

    s.pipeline = library_.find(caps_.active_tier, name);
    if (!std::exchange(addressable_, true) || !s.pipeline || std::max({ x, y, z }) > max_grid_side) {
        return false;
    }
    if (x == 0 || y == 0 || z == 0 || asking()) {
        return true;
    }

    const auto bindings = std::span(s.bindings).first(s.n_bindings);
    const auto is_empty = [](const binding & b) { return b.target.size == 0; };

    // What is not there, or empty, must still be a valid address: that of a neighbour, of which it covers nothing.
    const auto real = std::find_if_not(bindings.begin(), bindings.end(), is_empty);
    for (binding & b : bindings) {
        if (is_empty(b) && real != bindings.end()) {
            b.target      = real->target;
            b.target.size = 0;
        }
        s.work += b.target.size;
    }
    s.work = std::max(s.work, work);
    s.grid = { uint32_t(x), uint32_t(y), uint32_t(z) };

    s.args_offset = uint32_t(align_up(out_->args.size(), args_alignment));
    s.args_size   = uint32_t(size);
    out_->args.resize(s.args_offset + align_up(size, args_alignment));
    std::memcpy(out_->args.data() + s.args_offset, args, size);

    out_->steps.push_back(s);
    return true;
}

}  // namespace ggml_directx
