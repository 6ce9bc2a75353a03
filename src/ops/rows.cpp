#include "ops/rows.h"

#include "kernels/rows_args.h"
#include "ops/copy.h"
#include "ops/elementwise.h"
#include "ops/generate.h"
#include "ops/window.h"

#include <string>
#include <vector>

namespace ggml_directx {

namespace {

constexpr uint64_t get_group_size = 128;
constexpr uint64_t set_group_size = 64;

constexpr uint64_t round_up_division(uint64_t n, uint64_t by) {
    return (n + by - 1) / by;
}

}  // namespace

bool encode_get_rows(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src  = dst->src[0];
    const ggml_tensor * rows = dst->src[1];

    const bool same_words = src->type == dst->type && (src->type == GGML_TYPE_F32 || src->type == GGML_TYPE_I32);
    if (rows->type != GGML_TYPE_I32 || (dst->type != GGML_TYPE_F32 && !same_words) || dst->nb[0] != sizeof(float) ||
        src->nb[0] != ggml_type_size(src->type)) {
        return false;
    }

    const std::string name = std::string("get_rows.") + (same_words ? "raw" : ggml_type_name(src->type));

    // Which rows are wanted only the device knows: from a table beyond a kernel's reach each part gives what it has.
    const std::vector<window> tables = windows_of(e, src, 1);
    for (const window & table : tables) {
        args::get_rows_args a{};
        a.src    = e.read(&table.tensor);
        a.rows   = e.read(rows);
        a.dst    = table.first == 0 ? e.write(dst) : e.read_write(dst);
        a.chunks = uint32_t(round_up_division(uint64_t(dst->ne[0]), 8));
        a.n_rows = uint32_t(ggml_nrows(dst));
        a.first  = uint32_t(table.first);
        if (!e.dispatch_linear(name, a, round_up_division(uint64_t(a.chunks) * a.n_rows, get_group_size), ggml_nbytes(dst))) {
            return false;
        }
    }
    return !tables.empty();
}

// Zeros first, since most rows of an embedding stay untouched; then the sums.
bool encode_get_rows_back(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * gradient = dst->src[0];
    const ggml_tensor * rows     = dst->src[1];
    if (rows->type != GGML_TYPE_I32 || dst->type != GGML_TYPE_F32 || !ggml_is_vector(rows) || !ggml_is_matrix(gradient) ||
        !ggml_is_matrix(dst) || gradient->ne[0] != dst->ne[0] || gradient->ne[1] < rows->ne[0] || !fits_quads(dst) ||
        !e.can_loop(uint64_t(rows->ne[0]))) {
        return false;
    }

    if (!encode_fill(e, dst, 0.0f)) {
        return false;
    }

    args::get_rows_back_args a{};
    a.gradient         = e.read(gradient);
    a.rows             = e.read(rows);
    a.dst              = e.write(dst);
    a.chunks           = uint32_t(round_up_division(uint64_t(dst->ne[0]), 4 * get_group_size));
    a.n_rows           = uint32_t(rows->ne[0]);
    const auto compare = uint64_t(a.n_rows) * a.n_rows * uint64_t(dst->ne[0]);
    return e.dispatch_linear(std::string("get_rows_back.") + ggml_type_name(gradient->type), a, uint64_t(a.chunks) * a.n_rows, compare);
}

bool encode_set_rows(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src  = dst->src[0];
    const ggml_tensor * rows = dst->src[1];

    if ((rows->type != GGML_TYPE_I32 && rows->type != GGML_TYPE_I64) || src->nb[0] != ggml_type_size(src->type) ||
        dst->nb[0] != ggml_type_size(dst->type)) {
        return false;
    }

    const std::string         name   = std::string("set_rows.") + ggml_type_name(src->type) + "." + ggml_type_name(dst->type);
    const std::vector<window> tables = windows_of(e, dst, 1);
    for (const window & table : tables) {
        args::set_rows_args a{};
        a.src     = e.read(src);
        a.rows    = e.read(rows);
        a.dst     = e.read_write(&table.tensor);  // rows that no index names keep their values
        a.indexed = 1;
        a.runs    = 1;
        a.first   = uint32_t(table.first);
        if (ggml_is_quantized(dst->type)) {
            if (dst->ne[0] % ggml_blck_size(dst->type) != 0) {
                return false;
            }
            a.per_row = uint32_t(dst->ne[0] / ggml_blck_size(dst->type));
        } else {
            // Rows are apart: none may end in the middle of a piece, not even the only one.
            const bool fours =
                dst->ne[0] % 4 == 0 && has_runs(a.src, ggml_type_size(src->type), 4) && has_runs(a.dst, ggml_type_size(dst->type), 4);
            const bool twos = dst->ne[0] % 2 == 0 && has_runs(a.dst, ggml_type_size(dst->type), 2);
            a.width         = fours ? 4 : twos ? 2 : 1;
            a.per_row       = uint32_t(dst->ne[0]) / a.width;
        }
        const uint64_t count = uint64_t(a.per_row) * uint64_t(ggml_nrows(src));
        if (count > UINT32_MAX / 2) {
            return false;
        }
        a.count = uint32_t(count);
        if (!e.dispatch_linear(name, a, round_up_division(count, set_group_size), ggml_nbytes(src))) {
            return false;
        }
    }
    return !tables.empty();
}

}  // namespace ggml_directx
