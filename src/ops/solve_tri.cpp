#include "ops/solve_tri.h"

#include "kernels/solve_tri_args.h"

#include <string>

namespace ggml_directx {

namespace {

constexpr int64_t shared_lanes   = 8;
constexpr int64_t shared_columns = 16;
constexpr int64_t alone_columns  = 64;

std::string kernel_name(int64_t registers) {
    return "solve_tri." + std::to_string(registers);
}

// Older llvmpipes end a thread's loops, silently, after 65,535 rounds in all. A row takes as many as there are before it.
uint32_t next_stop(uint32_t first, uint32_t rows) {
    constexpr uint64_t max_rounds = 32768;
    uint32_t           end        = first + 1;
    uint64_t           rounds     = end;
    while (end < rows && rounds + end < max_rounds) {
        rounds += ++end;
    }
    return end;
}

// Registers a thread needs to share a matrix of n rows; 0: a thread goes alone.
int64_t registers_for(int64_t n, const encoder & e) {
    for (const int64_t count : { 8, 16 }) {
        if (n <= count * shared_lanes && e.has(kernel_name(count))) {
            return count;
        }
    }
    return 0;
}

}  // namespace

bool encode_solve_tri(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * lower = dst->src[0];
    const ggml_tensor * rhs   = dst->src[1];
    if (lower->type != GGML_TYPE_F32 || rhs->type != GGML_TYPE_F32 || dst->type != GGML_TYPE_F32) {
        return false;
    }
    const int64_t  registers = registers_for(dst->ne[1], e);
    const uint64_t columns   = uint64_t(registers ? shared_columns : alone_columns);
    const uint64_t batches   = uint64_t(dst->ne[2]) * uint64_t(dst->ne[3]);

    args::solve_tri_args a{};
    a.blocks = uint32_t((uint64_t(dst->ne[0]) + columns - 1) / columns);

    const uint32_t rows = uint32_t(dst->ne[1]);
    for (a.first = 0; a.first < rows; a.first = a.end) {
        a.end               = registers ? rows : next_stop(a.first, rows);
        a.lower             = e.read(lower);
        a.rhs               = e.read(rhs);
        a.dst               = a.first == 0 ? e.write(dst) : e.read_write(dst);
        const uint64_t done = uint64_t(ggml_nelements(dst)) / rows * (a.end - a.first) * (a.first + a.end) / 2;
        if (!e.dispatch(kernel_name(registers), a, a.blocks * batches, 1, 1, done)) {
            return false;
        }
    }
    return true;
}

}  // namespace ggml_directx
