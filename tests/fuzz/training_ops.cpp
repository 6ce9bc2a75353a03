#include "graph_ops.h"

namespace {

ggml_tensor * repeat_back(random_graph & g) {
    const shape   ne = g.some_shape();
    ggml_tensor * a  = g.strided({ ne[0] * g.between(1, 3), ne[1] * g.between(1, 3), ne[2] * g.between(1, 2), ne[3] * g.between(1, 2) });
    return ggml_repeat_back(g.ctx(), a, g.input(GGML_TYPE_F32, ne));
}

ggml_tensor * get_rows_back(random_graph & g) {
    const int64_t length = g.between(1, 60);
    const int64_t n      = g.between(1, 20);
    const int64_t rows   = g.between(1, 15);
    return ggml_get_rows_back(g.ctx(), g.operand({ length, n, 1, 1 }), g.indices({ n, 1, 1, 1 }, rows),
                              g.input(GGML_TYPE_F32, { length, rows, 1, 1 }));
}

// The state is read and written at once, and so are both moments, which a sum then shows.
ggml_tensor * opt_step_adamw(random_graph & g) {
    const shape   ne   = g.some_shape();
    ggml_tensor * a    = g.input(GGML_TYPE_F32, ne);
    ggml_tensor * grad = g.operand(ne);
    ggml_tensor * m    = g.input(GGML_TYPE_F32, ne, 0.0f, 1.0f);
    ggml_tensor * v    = g.input(GGML_TYPE_F32, ne, 0.1f, 1.0f);
    ggml_set_param(a);
    ggml_tensor * step = ggml_opt_step_adamw(g.ctx(), a, grad, m, v, g.input(GGML_TYPE_F32, { 7, 1, 1, 1 }, 0.1f, 0.9f));
    return ggml_add(g.ctx(), step, ggml_add(g.ctx(), m, v));
}

ggml_tensor * opt_step_sgd(random_graph & g) {
    const shape   ne = g.some_shape();
    ggml_tensor * a  = g.input(GGML_TYPE_F32, ne);
    ggml_set_param(a);
    return ggml_opt_step_sgd(g.ctx(), a, g.operand(ne), g.input(GGML_TYPE_F32, { 2, 1, 1, 1 }, 0.1f, 0.9f));
}

ggml_tensor * cross_entropy_loss(random_graph & g) {
    const shape ne = g.some_shape();
    return ggml_cross_entropy_loss(g.ctx(), g.operand(ne), g.input(GGML_TYPE_F32, ne, 0.0f, 1.0f));
}

ggml_tensor * cross_entropy_loss_back(random_graph & g) {
    const shape ne = g.some_shape();
    return ggml_cross_entropy_loss_back(g.ctx(), g.operand({ 1, 1, 1, 1 }), g.operand(ne), g.input(GGML_TYPE_F32, ne, 0.0f, 1.0f));
}

}  // namespace

void add_training_ops(std::vector<graph_op> & ops) {
    ops.push_back({ "REPEAT_BACK", plain_limit, repeat_back });
    ops.push_back({ "GET_ROWS_BACK", plain_limit, get_rows_back });
    ops.push_back({ "SILU_BACK", plain_limit, [](random_graph & g) {
                       const shape ne = g.some_shape();
                       return ggml_silu_back(g.ctx(), g.operand(ne), g.operand(ne));
                   } });
    ops.push_back({ "RMS_NORM_BACK", plain_limit, [](random_graph & g) {
                       const shape ne = g.some_shape();
                       return ggml_rms_norm_back(g.ctx(), g.operand(ne), g.operand(ne), 1e-2f);
                   } });
    ops.push_back({ "SOFT_MAX_BACK", plain_limit, [](random_graph & g) {
                       const shape   ne = g.some_shape();
                       ggml_tensor * y  = g.input(GGML_TYPE_F32, ne);
                       ggml_set_output(y);  // the CPU does not survive that its result gets y's memory
                       return ggml_soft_max_ext_back(g.ctx(), g.operand(ne), y, 0.7f, 0.0f);
                   } });
    ops.push_back({ "CROSS_ENTROPY_LOSS", plain_limit, cross_entropy_loss });
    ops.push_back({ "CROSS_ENTROPY_LOSS_BACK", plain_limit, cross_entropy_loss_back });
    ops.push_back({ "OPT_STEP_ADAMW", plain_limit, opt_step_adamw });
    ops.push_back({ "OPT_STEP_SGD", plain_limit, opt_step_sgd });
}
