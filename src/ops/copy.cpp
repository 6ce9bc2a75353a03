#include "ops/copy.h"

#include "kernels/copy_args.h"
#include "kernels/rows_args.h"

#include <algorithm>
#include <string>

namespace ggml_directx {

namespace {

constexpr uint64_t copy_group_size   = 128;
constexpr uint64_t encode_group_size = 64;
constexpr uint32_t transpose_tile    = 32;

uint64_t count_of(const args::tensor_args & t) {
    return uint64_t(t.ne[0]) * t.ne[1] * t.ne[2] * t.ne[3];
}

uint64_t groups_for(uint64_t n, uint64_t group_size) {
    return (n + group_size - 1) / group_size;
}

// Shaders count elements by 32 bits, and the last group may run over.
bool countable(uint64_t n) {
    return n < UINT32_MAX - 65536;
}

// Blocks of a quantised type as elements.
void count_blocks(args::tensor_args & t, ggml_type type) {
    t.ne[0] /= uint32_t(ggml_blck_size(type));
}

bool strides_divide(const args::tensor_args & t, int first, uint32_t by) {
    for (int i = first; i < GGML_MAX_DIMS; ++i) {
        if (t.ne[i] > 1 && t.nb[i] % by != 0) {
            return false;
        }
    }
    return t.offset % by == 0;
}

// Describes the same memory by units of `unit` bytes; false if it does not divide into them.
bool count_units(args::tensor_args & t, uint32_t element_size, uint32_t unit) {
    const uint32_t alignment = std::min(unit, 4u);
    if (t.nb[0] == element_size && uint64_t(t.ne[0]) * element_size % unit == 0) {
        t.ne[0] = t.ne[0] * element_size / unit;
        t.nb[0] = unit;
        return strides_divide(t, 1, alignment);
    }
    if (element_size == unit) {
        return strides_divide(t, 0, alignment);
    }
    if (element_size % unit == 0 && t.ne[3] == 1) {  // scattered elements of several units each
        t.ne = { element_size / unit, t.ne[0], t.ne[1], t.ne[2] };
        t.nb = { unit, t.nb[0], t.nb[1], t.nb[2] };
        return strides_divide(t, 1, alignment);
    }
    return false;
}

struct unit {
    uint32_t     bytes;
    const char * name;
};

constexpr unit units[] = { { 16, "x4" }, { 8, "x2" }, { 4, "u32" }, { 2, "u16" }, { 1, "u8" } };

// Copies whose memory runs along different dimensions on the two sides: false if this is none, else `done` is the outcome.
bool encode_transposed(encoder & e, const args::tensor_args & src, const args::tensor_args & dst, ggml_type type, bool & done) {
    const uint32_t size = uint32_t(ggml_type_size(type));
    if (ggml_is_quantized(type) || (size != 2 && size != 4) || src.ne != dst.ne || !strides_divide(src, 0, size) ||
        !strides_divide(dst, 0, size)) {
        return false;
    }
    // The dimensions that are neighbours in memory, worth a tile.
    const auto along = [&](const args::tensor_args & t) {
        for (uint32_t i = 0; i < GGML_MAX_DIMS; ++i) {
            if (t.ne[i] >= transpose_tile / 2 && t.nb[i] == size) {
                return i;
            }
        }
        return uint32_t(GGML_MAX_DIMS);
    };
    const uint32_t x = along(dst);
    const uint32_t y = along(src);
    if (x == GGML_MAX_DIMS || y == GGML_MAX_DIMS || x == y) {
        return false;
    }
    uint32_t order[GGML_MAX_DIMS] = { x, y };
    uint32_t n                    = 2;
    for (uint32_t i = 0; i < GGML_MAX_DIMS; ++i) {
        if (i != x && i != y) {
            order[n++] = i;
        }
    }
    args::copy_args a{};
    a.src = src;
    a.dst = dst;
    for (uint32_t i = 0; i < GGML_MAX_DIMS; ++i) {
        a.src.ne[i] = a.dst.ne[i] = dst.ne[order[i]];
        a.src.nb[i]               = src.nb[order[i]];
        a.dst.nb[i]               = dst.nb[order[i]];
    }
    const uint64_t groups = groups_for(a.dst.ne[0], transpose_tile) * groups_for(a.dst.ne[1], transpose_tile) * a.dst.ne[2] * a.dst.ne[3];
    if (!countable(groups)) {
        return false;
    }
    a.count = uint32_t(groups);
    done    = e.dispatch_linear(size == 2 ? "copy_transpose.u16" : "copy_transpose.u32", a, groups);
    return true;
}

bool encode_convert(encoder & e, args::tensor_args src, args::tensor_args dst, ggml_type from, ggml_type to) {
    collapse(src, false);
    collapse(dst, false);

    args::copy_args a{};
    a.src   = src;
    a.dst   = dst;
    a.runs  = has_runs(src, ggml_type_size(from), 4) ? 1 : 0;
    a.width = has_runs(dst, ggml_type_size(to), 4) ? 4 : ggml_type_size(to) == 2 && has_runs(dst, 2, 2) ? 2 : 1;

    const uint64_t n = count_of(dst);
    if (!countable(n)) {
        return false;
    }
    a.count                = uint32_t(n);
    const std::string name = std::string("copy_convert.") + ggml_type_name(from) + "." + ggml_type_name(to);
    return e.dispatch_linear(name, a, groups_for(groups_for(n, a.width), copy_group_size));
}

bool encode_encode(encoder & e, args::tensor_args src, args::tensor_args dst, ggml_type from, ggml_type to) {
    const uint32_t block = uint32_t(ggml_blck_size(to));
    collapse(src, false);
    count_blocks(dst, to);
    collapse(dst, false);

    args::set_rows_args a{};
    a.src            = src;
    a.dst            = dst;
    a.runs           = has_runs(src, ggml_type_size(from), block, ggml_type_size(from));
    const uint64_t n = count_of(dst);
    if (!countable(n * block)) {
        return false;
    }
    a.count                = uint32_t(n);
    const std::string name = std::string("set_rows.") + ggml_type_name(from) + "." + ggml_type_name(to);
    return e.dispatch_linear(name, a, groups_for(n, encode_group_size));
}

// Quantised rows are whole blocks, one after the other.
bool has_whole_rows(const ggml_tensor * t) {
    return t->nb[0] == ggml_type_size(t->type) && t->ne[0] % ggml_blck_size(t->type) == 0;
}

}  // namespace

void collapse(args::tensor_args & t, bool keep_rows) {
    args::uint4 ne{ 1, 1, 1, 1 };
    args::uint4 nb{ t.nb[0], 0, 0, 0 };
    int         n = 0;
    for (int i = 0; i < GGML_MAX_DIMS; ++i) {
        if (t.ne[i] == 1 && !(i == 0 && keep_rows)) {
            continue;
        }
        if (n > 0 && t.nb[i] == uint64_t(nb[n - 1]) * ne[n - 1]) {
            ne[n - 1] *= t.ne[i];
        } else {
            ne[n] = t.ne[i];
            nb[n] = t.nb[i];
            ++n;
        }
    }
    t.ne = ne;
    t.nb = nb;
}

bool has_runs(const args::tensor_args & t, size_t element_size, size_t n, size_t alignment) {
    const bool one_row = uint64_t(t.ne[1]) * t.ne[2] * t.ne[3] == 1;
    return t.nb[0] == element_size && (one_row || t.ne[0] % n == 0) && strides_divide(t, 1, uint32_t(alignment));
}

bool encode_move(encoder & e, args::tensor_args src, args::tensor_args dst, ggml_type type) {
    bool done = false;
    if (encode_transposed(e, src, dst, type, done)) {
        return done;
    }
    const uint32_t size = uint32_t(ggml_type_size(type));
    count_blocks(src, type);
    count_blocks(dst, type);
    collapse(src, false);
    collapse(dst, false);

    for (const unit & u : units) {
        args::copy_args a{};
        a.src = src;
        a.dst = dst;
        if (!count_units(a.src, size, u.bytes) || !count_units(a.dst, size, u.bytes)) {
            continue;
        }
        const uint64_t n = count_of(a.dst);
        if (!countable(n)) {
            return false;
        }
        a.count = uint32_t(n);
        a.width = u.bytes < 4 && has_runs(a.dst, u.bytes, 4 / u.bytes) ? 4 / u.bytes : 1;
        return e.dispatch_linear(std::string("copy.") + u.name, a, groups_for(groups_for(n, a.width), copy_group_size));
    }
    return false;
}

bool encode_decode(encoder & e, args::tensor_args src, args::tensor_args dst, ggml_type from) {
    count_blocks(src, from);
    collapse(src, true);
    src.ne[0] *= uint32_t(ggml_blck_size(from));
    collapse(dst, false);

    args::copy_args a{};
    a.src  = src;
    a.dst  = dst;
    a.runs = has_runs(dst, sizeof(float), 8) ? 2 : 0;

    const uint64_t n = count_of(dst);
    if (!countable(n)) {
        return false;
    }
    a.count = uint32_t(n);
    return e.dispatch_linear(std::string("copy_decode.") + ggml_type_name(from), a, groups_for(n / 8, copy_group_size));
}

bool encode_copy(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src  = dst->src[0];
    const ggml_type     from = src->type;
    const ggml_type     to   = dst->type;

    const bool from_blocks = ggml_is_quantized(from);
    const bool to_blocks   = ggml_is_quantized(to);
    if ((from_blocks && !has_whole_rows(src)) || (to_blocks && !has_whole_rows(dst))) {
        return false;
    }
    if (from_blocks && from != to && to != GGML_TYPE_F32) {
        return false;
    }

    const args::tensor_args s = e.read(src);
    if (to_blocks && from != to) {
        e.none();  // the kernel is SET_ROWS' own, which has indices in this slot
    }
    const args::tensor_args d = e.write(dst);

    if (from == to) {
        return encode_move(e, s, d, from);
    }
    if (from_blocks) {
        return encode_decode(e, s, d, from);
    }
    if (to_blocks) {
        return encode_encode(e, s, d, from, to);
    }
    return encode_convert(e, s, d, from, to);
}

}  // namespace ggml_directx
