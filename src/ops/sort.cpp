#include "ops/sort.h"

#include "kernels/sort_args.h"

#include <algorithm>
#include <utility>

namespace ggml_directx {

namespace {

constexpr uint64_t group_size = 128;

// Up to here counting beats sorting: no barriers, and short rows fill whole groups together.
constexpr uint64_t longest_counted = 128;

constexpr uint64_t small_block = 256;
constexpr uint64_t large_block = 1024;

// If only so few are wanted, small blocks leave little to merge, and take fewer steps to sort.
constexpr uint64_t few_kept = 32;

constexpr uint64_t entry_size = 2 * sizeof(uint32_t);

constexpr uint64_t divide_up(uint64_t n, uint64_t by) {
    return (n + by - 1) / by;
}

// What a row holds once its runs are cut to `run` entries each: all of them are full but the last.
uint64_t length_of(uint64_t runs, uint64_t run, uint64_t last_run) {
    return (runs - 1) * run + std::min(run, last_run);
}

}  // namespace

bool encode_sort(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src  = dst->src[0];
    const uint64_t      n    = uint64_t(src->ne[0]);
    const uint64_t      kept = uint64_t(dst->ne[0]);
    const uint64_t      rows = uint64_t(ggml_nrows(src));
    if (src->type != GGML_TYPE_F32 || dst->type != GGML_TYPE_I32 || kept > n || rows != uint64_t(ggml_nrows(dst)) ||
        n * rows > UINT32_MAX - large_block) {
        return false;
    }

    args::sort_args a{};
    a.descending = dst->op == GGML_OP_TOP_K || dst->op_params[0] == GGML_SORT_ORDER_DESC;
    a.kept       = uint32_t(kept);

    a.src = e.read(src);
    if (n <= longest_counted) {
        a.dst   = e.write(dst);
        a.total = uint32_t(n * rows);
        return e.dispatch_linear("sort_rank", a, divide_up(a.total, group_size), n * n * rows);
    }

    const uint64_t block  = n <= small_block || kept <= few_kept ? small_block : large_block;
    uint64_t       runs   = divide_up(n, block);
    uint64_t       run    = std::min(block, kept);
    uint64_t       tail   = n - (runs - 1) * block;
    uint64_t       length = length_of(runs, run, tail);
    region         entries;

    a.blocks = uint32_t(runs);
    a.total  = uint32_t(runs * rows);
    a.last   = runs == 1;
    if (a.last) {
        a.dst = e.write(dst);
    } else {
        entries      = e.scratch(length * rows * entry_size);
        a.out_offset = e.write(entries);
        a.out_length = uint32_t(length);
        a.out_run    = uint32_t(run);
    }
    if (!e.dispatch_linear(block == small_block ? "sort_block.256" : "sort_block.1024", a, a.total, n * rows * 16)) {
        return false;
    }

    // Each step reads one of two places and writes the other; the first one is the largest.
    region spare;
    while (runs > 1) {
        a.in_offset = e.read(entries);
        a.in_length = uint32_t(length);
        a.in_run    = uint32_t(run);
        a.total     = uint32_t(length * rows);

        tail   = runs % 2 == 1 ? std::min(run, tail) : run + std::min(run, tail);
        runs   = divide_up(runs, 2);
        run    = std::min(2 * run, kept);
        length = length_of(runs, run, tail);
        a.last = runs == 1;
        if (a.last) {
            a.dst = e.write(dst);
        } else {
            if (spare.size == 0) {
                spare = e.scratch(length * rows * entry_size);
            }
            a.out_offset = e.write(spare);
            a.out_length = uint32_t(length);
            a.out_run    = uint32_t(run);
        }
        if (!e.dispatch_linear("sort_merge", a, divide_up(a.total, group_size), uint64_t(a.total) * 16)) {
            return false;
        }
        std::swap(entries, spare);
    }
    return true;
}

}  // namespace ggml_directx
