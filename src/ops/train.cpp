#include "ops/train.h"

#include "kernels/cross_entropy_args.h"
#include "kernels/opt_step_args.h"
#include "ops/reduce.h"

namespace ggml_directx {

namespace {

constexpr uint64_t group_size = 128;

bool is_f32(const ggml_tensor * tensor) {
    return tensor->type == GGML_TYPE_F32;
}

bool have_f32_rows(const encoder & e, const ggml_tensor * logits, const ggml_tensor * labels) {
    return e.can_loop(4 * (uint64_t(logits->ne[0]) / 256 + 1)) && is_f32(logits) && is_f32(labels) && ggml_are_same_shape(logits, labels) &&
           uint64_t(ggml_nelements(logits)) < UINT32_MAX;
}

}  // namespace

bool encode_cross_entropy_loss(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * logits = dst->src[0];
    const ggml_tensor * labels = dst->src[1];
    if (!have_f32_rows(e, logits, labels) || !is_f32(dst) || !ggml_is_scalar(dst)) {
        return false;
    }
    const auto   rows   = uint64_t(ggml_nrows(logits));
    const region losses = e.scratch(rows * sizeof(float));

    args::cross_entropy_args a{};
    a.logits     = e.read(logits);
    a.labels     = e.read(labels);
    a.dst.offset = e.write(losses);
    a.rows       = uint32_t(rows);
    e.none();
    return e.dispatch_linear("cross_entropy.loss", a, rows) && encode_sum_of(e, losses, rows, dst, -float(rows));
}

bool encode_cross_entropy_loss_back(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * gradient = dst->src[0];
    const ggml_tensor * logits   = dst->src[1];
    const ggml_tensor * labels   = dst->src[2];
    if (!have_f32_rows(e, logits, labels) || !is_f32(dst) || !ggml_are_same_shape(logits, dst) || !is_f32(gradient) ||
        !ggml_is_scalar(gradient)) {
        return false;
    }
    args::cross_entropy_args a{};
    a.logits = e.read(logits);
    a.labels = e.read(labels);
    a.dst    = e.write(dst);
    a.factor = e.read(gradient).offset;
    a.rows   = uint32_t(ggml_nrows(logits));
    return e.dispatch_linear("cross_entropy.gradient", a, a.rows);
}

bool encode_opt_step(encoder & e, const ggml_tensor * dst) {
    const bool          adamw    = dst->op == GGML_OP_OPT_STEP_ADAMW;
    const ggml_tensor * weights  = dst->src[0];
    const ggml_tensor * gradient = dst->src[1];
    const ggml_tensor * params   = dst->src[adamw ? 4 : 2];
    const ggml_tensor * means[2] = { adamw ? dst->src[2] : nullptr, adamw ? dst->src[3] : nullptr };

    bool flat = true;
    for (const ggml_tensor * t : { weights, gradient, means[0], means[1] }) {
        if (t && (!is_f32(t) || !ggml_are_same_shape(t, weights))) {
            return false;
        }
        flat &= !t || ggml_is_contiguous(t);
    }
    if (!is_f32(params) || !ggml_is_contiguous(params) || ggml_nelements(params) != (adamw ? 7 : 2) ||
        uint64_t(ggml_nelements(weights)) > UINT32_MAX - group_size) {
        return false;
    }

    args::opt_step_args a{};
    a.weights   = e.read_write(weights);
    a.gradient  = e.read(gradient);
    a.params    = e.read(params).offset;
    a.momentum  = adamw ? e.read_write(means[0]) : e.none();
    a.deviation = adamw ? e.read_write(means[1]) : e.none();
    a.n         = uint32_t(ggml_nelements(weights));
    if (flat) {
        for (args::tensor_args * t : { &a.weights, &a.gradient, &a.momentum, &a.deviation }) {
            t->ne = { a.n, 1, 1, 1 };
        }
    }
    return e.dispatch_linear(adamw ? "opt_step.adamw" : "opt_step.sgd", a, (uint64_t(a.n) + group_size - 1) / group_size);
}

}  // namespace ggml_directx
