#include "graph_ops.h"

namespace {

// What the CPU can write in CPY and SET_ROWS.
constexpr ggml_type written_types[] = {
    GGML_TYPE_F16,    GGML_TYPE_BF16,  GGML_TYPE_Q1_0,  GGML_TYPE_Q2_0,  GGML_TYPE_Q4_0,   GGML_TYPE_Q4_1, GGML_TYPE_Q5_0,
    GGML_TYPE_Q5_1,   GGML_TYPE_Q8_0,  GGML_TYPE_Q2_K,  GGML_TYPE_Q3_K,  GGML_TYPE_Q4_K,   GGML_TYPE_Q5_K, GGML_TYPE_Q6_K,
    GGML_TYPE_IQ4_NL, GGML_TYPE_TQ2_0, GGML_TYPE_MXFP4, GGML_TYPE_NVFP4, GGML_TYPE_IQ4_XS,
};
constexpr ggml_type moved_types[] = { GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16, GGML_TYPE_I16, GGML_TYPE_I32 };

// The length of a row: some blocks, or the one that is given for types without blocks.
int64_t whole_blocks(random_graph & g, ggml_type type, int64_t otherwise) {
    const int64_t block = ggml_blck_size(type);
    return block == 1 ? otherwise : block * (block < 256 ? g.between(1, 5) : g.between(1, 2));
}

// A tensor of any type that is moved as it is.
ggml_tensor * moved(random_graph & g, ggml_type type, const shape & ne) {
    switch (type) {
        case GGML_TYPE_F32: return g.strided(ne);
        case GGML_TYPE_I8:
        case GGML_TYPE_I16:
        case GGML_TYPE_I32:
        case GGML_TYPE_I64: return g.indices(ne, 100, false, type);
        default: return g.input(type, ne);
    }
}

// The same with its first two or three dimensions in another order now and then.
ggml_tensor * turned(random_graph & g, ggml_type type, const shape & ne) {
    switch (g.below(4)) {
        case 0: return ggml_transpose(g.ctx(), moved(g, type, { ne[1], ne[0], ne[2], ne[3] }));
        case 1: return ggml_permute(g.ctx(), moved(g, type, { ne[1], ne[2], ne[0], ne[3] }), 1, 2, 0, 3);
        default: return moved(g, type, ne);
    }
}

// Writes a part of what has been computed and is read elsewhere: an order that is not kept, a barrier that is missing show.
ggml_tensor * overwrite(random_graph & g) {
    ggml_tensor * to = g.target();
    return to ? ggml_cpy(g.ctx(), g.operand(shape_of(to), to), to) : nullptr;
}

// SET of floats or integers, or ACC.
ggml_tensor * set_or_acc(random_graph & g, bool accumulates) {
    const shape   ne    = g.some_shape();
    const shape   part  = { g.between(1, int(ne[0])), g.between(1, int(ne[1])), g.between(1, int(ne[2])), ne[3] };
    const auto    at    = [&](size_t i) { return size_t(g.between(0, int(ne[i] - part[i]))); };
    auto          place = accumulates ? ggml_acc : ggml_set;
    const bool    i32   = !accumulates && g.one_in(4);
    ggml_tensor * a     = i32 ? g.indices(ne, 1000) : g.operand(ne);
    ggml_tensor * b     = i32 ? g.indices(part, 1000) : g.operand(part);
    return place(g.ctx(), a, b, a->nb[1], a->nb[2], a->nb[3], at(0) * a->nb[0] + at(1) * a->nb[1] + at(2) * a->nb[2]);
}

// SET and ACC in what has been computed: b's rows lie in it with any stride.
ggml_tensor * set_or_acc_in_place(random_graph & g, bool accumulates) {
    ggml_tensor * to = g.target();
    if (!to) {
        return nullptr;
    }
    // The whole of it as one row, b a part with the strides of `to`.
    const size_t  stride = to->nb[1];
    ggml_tensor * all    = ggml_reshape_1d(g.ctx(), to->view_src, ggml_nelements(to->view_src));
    auto          place  = accumulates ? ggml_acc_inplace : ggml_set_inplace;
    return place(g.ctx(), all, g.operand(shape_of(to), to), stride, stride * size_t(to->ne[1]), stride * size_t(to->ne[1]), to->view_offs);
}

ggml_tensor * concat(random_graph & g, ggml_type type) {
    const size_t dimension = g.below(GGML_MAX_DIMS);
    shape        ne        = g.some_shape_or_empty();
    ne[0]                  = whole_blocks(g, type, ne[0]);
    const int64_t n        = g.between(0, 5) * (dimension == 0 ? ggml_blck_size(type) : 1);
    return ggml_concat(g.ctx(), moved(g, type, ne), moved(g, type, with(ne, dimension, n)), int(dimension));
}

ggml_tensor * get_rows(random_graph & g) {
    const ggml_type type = g.one_in(3) ? GGML_TYPE_F32 : g.one_in(8) ? GGML_TYPE_I32 : g.one_of(weight_types);
    shape           ne   = g.some_shape();
    ne[0]                = whole_blocks(g, type, ne[0]);
    return ggml_get_rows(g.ctx(), moved(g, type, ne), g.indices({ g.between(0, 20), ne[2], ne[3], 1 }, ne[1]));
}

ggml_tensor * set_rows(random_graph & g, ggml_type type) {
    shape ne             = g.some_shape();
    ne[0]                = whole_blocks(g, type, ne[0]);
    const int64_t n      = g.between(0, int(ne[1]));
    const shape   index  = { n, g.one_in(2) ? 1 : ne[2], g.one_in(2) ? 1 : ne[3], 1 };
    ggml_tensor * to     = type == GGML_TYPE_F32 ? g.operand(ne) : g.input(type, ne);
    const shape   part   = with(ne, 1, n);
    ggml_tensor * values = g.one_in(4) ? g.input(GGML_TYPE_F16, part) : type == GGML_TYPE_F32 ? g.strided(part, to) : g.strided_input(part);
    return ggml_set_rows(g.ctx(), to, values, g.indices(index, ne[1], true, g.one_of(index_types)));
}

}  // namespace

void add_copy_ops(std::vector<graph_op> & ops) {
    // More than once in the table: the order of reads and writes of the same memory is what the random graphs are best at.
    for (int i = 0; i < 4; ++i) {
        ops.push_back({ "CPY over", exact, overwrite });
    }
    for (const bool accumulates : { false, true }) {
        ops.push_back({ accumulates ? "ACC" : "SET", accumulates ? plain_limit : exact,
                        [=](random_graph & g) { return set_or_acc(g, accumulates); } });
        // In what has been computed, the rows any distance apart.
        ops.push_back({ accumulates ? "ACC over" : "SET over", accumulates ? plain_limit : exact,
                        [=](random_graph & g) { return set_or_acc_in_place(g, accumulates); } });
    }
    ops.push_back(
        { "CONT", exact, [](random_graph & g) { return ggml_cont(g.ctx(), turned(g, g.one_of(moved_types), g.some_shape_or_empty())); } });
    ops.push_back(
        { "DUP", exact, [](random_graph & g) { return ggml_dup(g.ctx(), turned(g, g.one_of(moved_types), g.some_shape_or_empty())); } });
    ops.push_back({ "CPY to floats", plain_limit, [](random_graph & g) {
                       constexpr ggml_type types[] = { GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16 };
                       const shape         ne      = g.some_shape_or_empty();
                       return ggml_cpy(g.ctx(), turned(g, g.one_of(types), ne), g.input(g.one_of(types), ne));
                   } });
    ops.push_back({ "CPY of integers", exact, [](random_graph & g) {
                       const shape ne   = g.some_shape_or_empty();
                       const bool  from = g.one_in(2);
                       return from ? ggml_cast(g.ctx(), g.indices(ne, 1000), GGML_TYPE_F32)
                                   : ggml_cast(g.ctx(), g.input(GGML_TYPE_F32, ne, -1000.0f, 1000.0f), GGML_TYPE_I32);
                   } });
    // From and to one quantised type the CPU writes past the end unless both are contiguous, so they are.
    ops.push_back({ "CPY as is", exact, [](random_graph & g) {
                       const ggml_type type = g.one_of(written_types);
                       const shape     ne   = g.some_shape_or_empty();
                       const shape     rows = with(ne, 0, whole_blocks(g, type, ne[0]));
                       return ggml_cpy(g.ctx(), g.input(type, rows), g.input(type, rows));
                   } });
    ops.push_back({ "CPY quantises", written_limit, [](random_graph & g) {
                       const ggml_type type = g.one_of(written_types);
                       const shape     ne   = g.some_shape_or_empty();
                       const shape     rows = with(ne, 0, whole_blocks(g, type, ne[0]));
                       return ggml_cpy(g.ctx(), g.strided_input(rows), g.input(type, rows));
                   } });
    ops.push_back({ "CPY dequantises", exact, [](random_graph & g) {
                       const ggml_type type = g.one_of(weight_types);
                       const shape     ne   = g.some_shape_or_empty();
                       return ggml_cast(g.ctx(), g.input(type, with(ne, 0, whole_blocks(g, type, ne[0]))), GGML_TYPE_F32);
                   } });
    ops.push_back({ "REPEAT", exact, [](random_graph & g) {
                       constexpr ggml_type types[] = { GGML_TYPE_F32,  GGML_TYPE_F32, GGML_TYPE_F16,
                                                       GGML_TYPE_BF16, GGML_TYPE_I16, GGML_TYPE_I32 };
                       const shape         ne      = g.some_shape_or_empty();
                       return ggml_repeat_4d(g.ctx(), moved(g, g.one_of(types), ne), ne[0] * g.between(1, 3), ne[1] * g.between(1, 3),
                                             ne[2] * g.between(1, 2), ne[3] * g.between(1, 2));
                   } });
    for (const ggml_type type : { GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_I8, GGML_TYPE_I64, GGML_TYPE_Q4_0, GGML_TYPE_Q8_0 }) {
        ops.push_back({ "CONCAT", exact, [=](random_graph & g) { return concat(g, type); } });
    }
    ops.push_back({ "PAD", exact, [](random_graph & g) {
                       const shape        ne     = g.some_shape();
                       std::array<int, 8> p      = {};
                       const bool         around = g.one_in(2);
                       for (size_t i = 0; i < p.size(); ++i) {
                           // as far around as there is something
                           p[i] = g.between(0, around ? int(std::min<int64_t>(ne[i / 2], 3)) : 3);
                       }
                       return (around ? ggml_pad_ext_circular : ggml_pad_ext)(g.ctx(), g.operand(ne), p[0], p[1], p[2], p[3], p[4], p[5],
                                                                              p[6], p[7]);
                   } });
    ops.push_back({ "PAD_REFLECT_1D", exact, [](random_graph & g) {
                       const shape ne = g.some_shape();
                       return ggml_pad_reflect_1d(g.ctx(), g.operand(ne), g.between(0, int(ne[0]) - 1), g.between(0, int(ne[0]) - 1));
                   } });
    ops.push_back({ "ROLL", exact, [](random_graph & g) {
                       const shape ne = g.some_shape();
                       const auto  by = [&](size_t i) { return g.between(-int(ne[i]) + 1, int(ne[i]) - 1); };
                       return ggml_roll(g.ctx(), g.strided(ne), by(0), by(1), by(2), by(3));
                   } });
    ops.push_back({ "GET_ROWS", exact, get_rows });
    ops.push_back({ "SET_ROWS", exact, [](random_graph & g) { return set_rows(g, GGML_TYPE_F32); } });
    ops.push_back({ "SET_ROWS quantises", written_limit, [](random_graph & g) { return set_rows(g, g.one_of(written_types)); } });
}
