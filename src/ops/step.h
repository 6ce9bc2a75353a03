#pragma once

// One dispatch, described without Direct3D: what graph/ plans and the recorder plays.

#include <array>
#include <cstdint>
#include <vector>

namespace ggml_directx {

struct kernel;  // kernels/library.h

// Every kernel sees at most this many buffers: what a device of feature level 11_0 binds.
constexpr uint32_t max_bindings = 8;

// Root views are bound at multiples of this; what is left of an offset goes into tensor_args::offset.
constexpr uint64_t bind_alignment = 256;

// A grid's sides stop at 65,535; dispatch_linear folds at this many groups (common.hlsli: grid_row).
constexpr uint32_t grid_row = 32768;

enum class access : uint8_t { read = 1, write = 2, read_write = 3 };

// A range of a buffer. `buffer` is a d3d12::buffer, or null for the plan's own scratch memory.
struct region {
    const void * buffer = nullptr;
    uint64_t     uid    = 0;  // d3d12::buffer::uid: an address may come again, an id does not
    uint64_t     offset = 0;
    uint64_t     size   = 0;
};

struct binding {
    region target;
    access mode = access::read;
};

struct step {
    const kernel *                    pipeline = nullptr;
    std::array<binding, max_bindings> bindings{};
    uint32_t                          n_bindings  = 0;
    uint32_t                          args_offset = 0;  // into plan_steps::args
    uint32_t                          args_size   = 0;
    std::array<uint32_t, 3>           grid{};
    uint64_t                          work = 0;  // bytes moved or multiply-adds, whichever is more: splits submissions
    uint32_t                          node = 0;  // index of the graph node, for diagnostics
};

// The steps of a graph with their constants, each step's in its own 256-byte-aligned slot.
struct step_list {
    std::vector<step>    steps;
    std::vector<uint8_t> args;
    uint64_t             scratch_size = 0;
};

}  // namespace ggml_directx
