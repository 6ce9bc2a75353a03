#include "graph_ops.h"

namespace {

// Operands of f16 are new inputs.
ggml_tensor * some_floats(random_graph & g, ggml_type type, const shape & ne) {
    return type == GGML_TYPE_F32 ? g.strided(ne) : g.input(type, ne);
}

ggml_tensor * binary(random_graph & g, ggml_tensor * (*plain)(ggml_context *, ggml_tensor *, ggml_tensor *),
                     ggml_tensor * (*in_place)(ggml_context *, ggml_tensor *, ggml_tensor *), float low, float high) {
    if (g.one_in(4)) {
        if (ggml_tensor * a = g.target()) {
            const shape ne = with(shape_of(a), 1, g.one_in(2) ? 1 : a->ne[1]);
            return in_place(g.ctx(), a, low == -1.0f ? g.strided(ne, a) : g.input(GGML_TYPE_F32, ne, low, high));
        }
    }
    const shape     ne   = g.some_shape_or_empty();
    const ggml_type type = g.one_of(float_types);
    shape           less = ne;
    for (int64_t & n : less) {
        n = n > 0 && g.one_in(3) ? 1 : n;
    }
    ggml_tensor * a = some_floats(g, type, ne);
    ggml_tensor * b = low == -1.0f ? some_floats(g, type, less) : g.input(type, less, low, high);
    return plain(g.ctx(), a, b);
}

// Every unary function, with the inputs that it is defined for and that tell its branches apart; in place those that stay
// between -1 and 1.
void add_unary_ops(std::vector<graph_op> & ops) {
    for (int i = 0; i < GGML_UNARY_OP_COUNT; ++i) {
        const ggml_unary_op op = ggml_unary_op(i);
        const bool jumps = op == GGML_UNARY_OP_SGN || op == GGML_UNARY_OP_STEP || op == GGML_UNARY_OP_ROUND || op == GGML_UNARY_OP_FLOOR ||
                           op == GGML_UNARY_OP_CEIL || op == GGML_UNARY_OP_TRUNC;
        const bool grows =
            op == GGML_UNARY_OP_EXP || op == GGML_UNARY_OP_EXPM1 || op == GGML_UNARY_OP_SOFTPLUS || op == GGML_UNARY_OP_XIELU;
        const bool table = op == GGML_UNARY_OP_GELU || op == GGML_UNARY_OP_GELU_QUICK;
        ops.push_back({ ggml_unary_op_name(op), table ? table_limit : plain_limit, [=](random_graph & g) {
                           if (!jumps && !grows && g.one_in(4)) {
                               if (ggml_tensor * a = g.target()) {
                                   return ggml_unary_inplace(g.ctx(), a, op);
                               }
                           }
                           const shape     ne   = g.some_shape_or_empty();
                           const ggml_type type = g.one_of(float_types);
                           ggml_tensor *   a    = jumps || type != GGML_TYPE_F32 ? g.input(type, ne, -8.0f, 8.0f)
                                                  : op == GGML_UNARY_OP_XIELU    ? g.spaced(ne)
                                                                                 : g.strided(ne);
                           if (op == GGML_UNARY_OP_XIELU) {
                               return ggml_xielu(g.ctx(), a, 4.0f, 20.0f, 0.5f, 0.0000001f);
                           }
                           return ggml_unary(g.ctx(), a, op);
                       } });
    }
}

void add_glu_ops(std::vector<graph_op> & ops) {
    for (int i = 0; i < GGML_GLU_OP_COUNT; ++i) {
        const ggml_glu_op op    = ggml_glu_op(i);
        const bool        table = op == GGML_GLU_OP_GEGLU || op == GGML_GLU_OP_GEGLU_QUICK;
        ops.push_back({ ggml_glu_op_name(op), table ? table_limit : plain_limit, [=](random_graph & g) {
                           shape ne = g.some_shape_or_empty();
                           if (op == GGML_GLU_OP_SWIGLU_OAI) {
                               return ggml_swiglu_oai(g.ctx(), g.spaced(ne), g.spaced(ne), 1.702f, 0.5f);
                           }
                           if (op == GGML_GLU_OP_SWIGLU_CLAMP) {
                               return ggml_swiglu_clamp(g.ctx(), g.spaced(ne), g.spaced(ne), 0.5f);
                           }
                           if (g.one_in(2)) {
                               return ggml_glu_split(g.ctx(), g.spaced(ne), g.spaced(ne), op);
                           }
                           ne[0] *= 2;
                           return ggml_glu(g.ctx(), g.spaced(ne), op, g.one_in(2));
                       } });
    }
}

}  // namespace

void add_elementwise_ops(std::vector<graph_op> & ops) {
    add_unary_ops(ops);
    add_glu_ops(ops);

    ops.push_back({ "ADD", plain_limit, [](random_graph & g) { return binary(g, ggml_add, ggml_add_inplace, -1.0f, 1.0f); } });
    ops.push_back({ "SUB", plain_limit, [](random_graph & g) { return binary(g, ggml_sub, ggml_sub_inplace, -1.0f, 1.0f); } });
    ops.push_back({ "MUL", plain_limit, [](random_graph & g) { return binary(g, ggml_mul, ggml_mul_inplace, -1.0f, 1.0f); } });
    ops.push_back({ "DIV", plain_limit, [](random_graph & g) { return binary(g, ggml_div, ggml_div_inplace, 1.0f, 3.0f); } });

    ops.push_back(
        { "ADD_ID", plain_limit, [](random_graph & g) {
             const shape   ne      = with(g.some_shape_or_empty(), 3, 1);
             const int64_t experts = g.between(1, 9);
             return ggml_add_id(g.ctx(), g.operand(ne), g.operand({ ne[0], experts, 1, 1 }), g.indices({ ne[1], ne[2], 1, 1 }, experts));
         } });
    ops.push_back({ "SCALE", plain_limit, [](random_graph & g) {
                       const float   s = g.unit();
                       const float   b = g.unit();
                       ggml_tensor * a = g.one_in(2) ? g.target() : nullptr;
                       if (a && ggml_is_contiguous(a)) {  // as the CPU wants it
                           return ggml_scale_bias_inplace(g.ctx(), a, s, b);
                       }
                       return ggml_scale_bias(g.ctx(), g.operand(g.some_shape_or_empty()), s, b);
                   } });
    ops.push_back(
        { "CLAMP", plain_limit, [](random_graph & g) { return ggml_clamp(g.ctx(), g.operand(g.some_shape_or_empty()), -0.5f, 0.4f); } });
    ops.push_back({ "LEAKY_RELU", plain_limit,
                    [](random_graph & g) { return ggml_leaky_relu(g.ctx(), g.operand(g.some_shape_or_empty()), 0.1f, false); } });
    ops.push_back({ "SQR", plain_limit, [](random_graph & g) { return ggml_sqr(g.ctx(), g.operand(g.some_shape_or_empty())); } });
    ops.push_back({ "SQRT", plain_limit,
                    [](random_graph & g) { return ggml_sqrt(g.ctx(), g.input(GGML_TYPE_F32, g.some_shape_or_empty(), 0.0f, 4.0f)); } });
    ops.push_back({ "LOG", plain_limit,
                    [](random_graph & g) { return ggml_log(g.ctx(), g.input(GGML_TYPE_F32, g.some_shape_or_empty(), 0.1f, 4.0f)); } });
    ops.push_back({ "SIN", plain_limit, [](random_graph & g) { return ggml_sin(g.ctx(), g.operand(g.some_shape_or_empty())); } });
    ops.push_back({ "COS", plain_limit, [](random_graph & g) { return ggml_cos(g.ctx(), g.operand(g.some_shape_or_empty())); } });
    ops.push_back(
        { "FILL", plain_limit, [](random_graph & g) { return ggml_fill(g.ctx(), g.operand(g.some_shape_or_empty()), g.unit()); } });
    ops.push_back(
        { "ARANGE", plain_limit, [](random_graph & g) { return ggml_arange(g.ctx(), g.unit(), 2.0f + float(g.between(0, 40)), 0.37f); } });
}
