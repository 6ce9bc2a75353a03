#pragma once

// An encoder turns ggml nodes into steps. It has two lives with one code path: planning a graph, and answering
// supports_op, where nothing is written and tensors have no memory yet. An op that cannot be encoded therefore
// cannot be claimed either.

#include "d3d12/capabilities.h"
#include "kernels/library.h"
#include "kernels/tensor_args.h"
#include "ops/step.h"

#include "ggml.h"

#include <array>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <type_traits>

namespace ggml_directx {

class encoder {
public:
    // `out` receives the steps; null answers supports_op. `library` and `caps` outlive the encoder.
    encoder(const kernel_library & library, const d3d12::capabilities & caps, step_list * out);

    // True while answering supports_op: tensor data pointers are not valid and must not matter.
    bool asking() const { return out_ == nullptr; }

    const kernel_library &      library() const { return library_; }
    const d3d12::capabilities & caps() const { return caps_; }

    // Binds a tensor to the next slot (u0, u1, ... in the order of the calls) for the next dispatch, and returns what
    // the kernel needs to address it. A tensor that spans capabilities::max_span or more makes the dispatch fail: ops/split.h cuts it.
    args::tensor_args read(const ggml_tensor * tensor) { return bind(tensor, access::read); }
    args::tensor_args write(const ggml_tensor * tensor) { return bind(tensor, access::write); }
    args::tensor_args read_write(const ggml_tensor * tensor) { return bind(tensor, access::read_write); }

    // Fills the next slot of a source that the op does not have; the kernel must not touch it.
    args::tensor_args none();

    // A piece of memory that lives until the node is computed. Bind it to slots like a tensor; contents start undefined.
    region scratch(uint64_t bytes);
    // Returns the byte offset to add to addresses in the kernel.
    uint32_t read(const region & r) { return bind(r, access::read); }
    uint32_t write(const region & r) { return bind(r, access::write); }

    // A contiguous tensor in scratch memory, for what one op hands to the encoder of another. It, copies of it with other
    // sizes and strides, and views made by moving `data` may be bound like any tensor.
    ggml_tensor temporary(ggml_type type, const std::array<int64_t, GGML_MAX_DIMS> & ne);

    // True if the active tier has the kernel: "family.axis1.axis2", see kernels/catalogue.json.
    bool has(std::string_view kernel) const { return library_.find(caps_.active_tier, kernel) != nullptr; }

    // True if a thread may take so many rounds in its loops, all together; else the op must do with fewer, or be refused.
    bool can_loop(uint64_t rounds) const { return rounds <= caps_.max_rounds; }

    // Emits a dispatch of the kernel with the slots bound since the last one, and forgets them. False (and no step) if
    // the tier lacks the kernel, a bound tensor cannot be addressed, or the grid exceeds the limits; the caller returns
    // false in turn. `work`: multiply-adds, if they outweigh the bytes bound; it is what splits long submissions.
    template <typename args_type>
    bool dispatch(std::string_view kernel, const args_type & args, uint64_t x, uint64_t y, uint64_t z, uint64_t work = 0) {
        static_assert(std::is_trivially_copyable_v<args_type>);
        return dispatch_bytes(kernel, &args, sizeof(args), x, y, z, work);
    }

    // The same for a one-dimensional grid of any length: see linear_group() in common.hlsli. The last row of groups may
    // run over; the kernel compares its index with its own count.
    template <typename args_type>
    bool dispatch_linear(std::string_view kernel, const args_type & args, uint64_t groups, uint64_t work = 0) {
        const uint64_t x = groups < grid_row ? groups : grid_row;
        return dispatch(kernel, args, x, (groups + grid_row - 1) / grid_row, 1, work);
    }

    // Starts a node, or a part of one: what is emitted from here on bears this index, and scratch memory is free again.
    void     set_node(uint32_t index);
    uint32_t node() const { return next_.node; }

private:
    args::tensor_args bind(const ggml_tensor * tensor, access mode);
    uint32_t          bind(const region & target, access mode);
    region            place_of(const ggml_tensor * tensor) const;
    bool dispatch_bytes(std::string_view kernel, const void * args, size_t size, uint64_t x, uint64_t y, uint64_t z, uint64_t work);

    const kernel_library &      library_;
    const d3d12::capabilities & caps_;
    step_list *                 out_;
    step                        next_;
    bool                        addressable_  = true;
    uint64_t                    scratch_used_ = 0;
};

}  // namespace ggml_directx
