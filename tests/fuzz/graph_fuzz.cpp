// Random graphs, computed whole by the CPU backend and by a DirectX device with memory reused between nodes, so that a wrong
// barrier shows as well as a wrong kernel.

#include "fuzz.h"

#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml-cpp.h"
#include "ggml.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr ggml_type weight_types[] = {
    GGML_TYPE_F32,  GGML_TYPE_F16,  GGML_TYPE_BF16, GGML_TYPE_Q4_0, GGML_TYPE_Q4_1, GGML_TYPE_Q5_0, GGML_TYPE_Q5_1,
    GGML_TYPE_Q8_0, GGML_TYPE_Q2_K, GGML_TYPE_Q3_K, GGML_TYPE_Q4_K, GGML_TYPE_Q5_K, GGML_TYPE_Q6_K,
};

// Builds a graph from a seed: the same one for every backend.
class graph_builder {
public:
    explicit graph_builder(uint64_t seed) : random_(seed) {
        ctx_.reset(
            ggml_init({ .mem_size = ggml_tensor_overhead() * 256 + ggml_graph_overhead(), .mem_buffer = nullptr, .no_alloc = true }));
        graph_ = ggml_new_graph(ctx_.get());
        pool_.push_back(leaf(GGML_TYPE_F32, dim() * 4, dim(), small(), small()));
        pool_.push_back(leaf(GGML_TYPE_F32, 64, dim(), small(), 1));
        const int n = int(below(14)) + 4;
        while (made_ < n) {
            add_node();
        }
        // What nothing reads is an output: together they depend on all that was computed.
        for (ggml_tensor * t : pool_) {
            if (t->op != GGML_OP_NONE && !used_.count(t)) {
                ggml_set_output(t);
                outputs_.push_back(t);
                ggml_build_forward_expand(graph_, t);
            }
        }
    }

    ggml_cgraph *                      graph() { return graph_; }
    const std::vector<ggml_tensor *> & outputs() const { return outputs_; }
    bool                               rounds() const { return rounds_; }
    std::string                        describe() const {
                               std::string text;
                               for (int i = 0; i < ggml_graph_n_nodes(graph_); ++i) {
                                   const ggml_tensor * t = ggml_graph_node(graph_, i);
                                   text += std::string(ggml_op_desc(t)) + "(" + ggml_type_name(t->type);
                                   for (int d = 0; d < GGML_MAX_DIMS; ++d) {
                                       text += " " + std::to_string(t->ne[d]);
            }
                                   text += t->src[0] ? std::string(" <- ") + ggml_type_name(t->src[0]->type) + ") " : ") ";
        }
                               return text;
    }

    // Allocates the graph for a backend and fills the leaves from the seed.
    ggml_gallocr_ptr allocate(ggml_backend_t backend) {
        ggml_gallocr_ptr alloc(ggml_gallocr_new(ggml_backend_get_default_buffer_type(backend)));
        if (!ggml_gallocr_alloc_graph(alloc.get(), graph_)) {
            return nullptr;
        }
        std::mt19937_64 values(random_seed_ ^ 0x5eed);
        for (ggml_tensor * t : leaves_) {
            if (t->buffer) {  // else nothing reads it
                fill(t, values);
            }
        }
        return alloc;
    }

    // Only what both backends claim ends up in a graph.
    std::map<std::string, int> refused;

private:
    uint64_t below(uint64_t n) { return random_() % n; }
    int64_t  dim() { return int64_t(below(23)) + 1; }
    int64_t  small() { return int64_t(below(3)) + 1; }
    float    unit() { return float(below(2001)) / 1000.0f - 1.0f; }

    ggml_tensor * leaf(ggml_type type, int64_t a, int64_t b, int64_t c, int64_t d) {
        ggml_tensor * t = ggml_new_tensor_4d(ctx_.get(), type, a, b, c, d);
        ggml_set_input(t);
        leaves_.push_back(t);
        return t;
    }

    ggml_tensor * pick() {
        ggml_tensor * t = pool_[below(pool_.size())];
        // Now and then a view: transposed, cut or permuted, so that strides are met everywhere.
        switch (below(6)) {
            case 0: return used(ggml_permute(ctx_.get(), used(t), 0, 2, 1, 3));
            case 1:
                if (t->ne[1] > 1) {
                    return used(ggml_view_4d(ctx_.get(), used(t), t->ne[0], t->ne[1] - 1, t->ne[2], t->ne[3], t->nb[1], t->nb[2], t->nb[3],
                                             size_t(below(2)) * t->nb[1]));
                }
                return t;
            default: return t;
        }
    }

    ggml_tensor * used(ggml_tensor * t) {
        used_.insert(t);
        return t;
    }

    // Also of a view that is contiguous by chance: ggml's own checks are of several minds about dimensions of one element.
    ggml_tensor * contiguous(ggml_tensor * t) { return t->view_src ? ggml_cont(ctx_.get(), used(t)) : t; }

    // Keeps a node that both backends support; counts the others.
    void keep(ggml_tensor * t) {
        for (const ggml_tensor * n = t; n && n->op != GGML_OP_NONE; n = n->src[0]) {
            if (!ggml_backend_dev_supports_op(directx_device(), n) || !ggml_backend_dev_supports_op(cpu_device(), n)) {
                ++refused[ggml_op_desc(n)];
                ++made_;
                return;
            }
        }
        for (ggml_tensor * s : t->src) {
            if (s) {
                used(s);
            }
        }
        pool_.push_back(t);
        ++made_;
    }

    void add_node() {
        ggml_context * ctx = ctx_.get();
        ggml_tensor *  a   = pick();
        switch (below(13)) {
            case 0:
            case 1: {
                ggml_tensor * b = leaf(GGML_TYPE_F32, a->ne[0], below(2) ? 1 : a->ne[1], below(2) ? 1 : a->ne[2], below(2) ? 1 : a->ne[3]);
                switch (below(3)) {
                    case 0: return keep(ggml_add(ctx, a, b));
                    case 1: return keep(ggml_sub(ctx, a, b));
                    default: return keep(ggml_mul(ctx, a, b));
                }
            }
            case 2: return keep(ggml_scale_bias(ctx, contiguous(a), 1.0f + 0.5f * unit(), unit()));
            case 3: {
                constexpr ggml_unary_op ops[] = { GGML_UNARY_OP_SILU, GGML_UNARY_OP_TANH, GGML_UNARY_OP_SIGMOID,
                                                  GGML_UNARY_OP_RELU, GGML_UNARY_OP_NEG,  GGML_UNARY_OP_ABS };
                return keep(ggml_unary(ctx, contiguous(a), ops[below(std::size(ops))]));
            }
            case 4: return keep(ggml_rms_norm(ctx, a, 1e-2f));
            case 5: return keep(ggml_norm(ctx, a, 1e-2f));
            case 6: return keep(ggml_soft_max_ext(ctx, contiguous(a), nullptr, 0.7f, 0.0f));
            case 7: return keep(ggml_cont(ctx, a));
            case 8:
                if (a->ne[0] % 2 == 0) {
                    return keep(ggml_glu(ctx, contiguous(a), below(2) ? GGML_GLU_OP_SWIGLU : GGML_GLU_OP_REGLU, below(2) != 0));
                }
                return keep(ggml_clamp(ctx, contiguous(a), -0.8f, 0.9f));
            case 9: {
                rounds_ = true;
                return keep(ggml_cast(ctx, ggml_cast(ctx, contiguous(a), below(2) ? GGML_TYPE_F16 : GGML_TYPE_BF16), GGML_TYPE_F32));
            }
            case 10: {
                const int64_t rows     = dim();
                ggml_tensor * indices  = leaf(GGML_TYPE_I32, rows, 1, 1, 1);
                index_limits_[indices] = a->ne[1];
                ggml_tensor * flat     = ggml_reshape_2d(ctx, used(contiguous(a)), a->ne[0], a->ne[1] * a->ne[2] * a->ne[3]);
                return keep(ggml_get_rows(ctx, used(flat), indices));
            }
            default: {
                const ggml_type type = weight_types[below(std::size(weight_types))];
                rounds_              = rounds_ || type != GGML_TYPE_F32;
                ggml_tensor * b      = contiguous(a);
                if (b->ne[0] % ggml_blck_size(type) != 0) {
                    // bring rows of a block multiple in
                    b = leaf(GGML_TYPE_F32, 256 * small(), a->ne[1], a->ne[2], a->ne[3]);
                }
                ggml_tensor * w = leaf(type, b->ne[0], dim() * small(), 1, below(2) ? 1 : b->ne[3]);
                return keep(ggml_mul_mat(ctx, w, b));
            }
        }
    }

    void fill(ggml_tensor * t, std::mt19937_64 & values) {
        const int64_t n = ggml_nelements(t);
        if (t->type == GGML_TYPE_I32) {
            std::vector<int32_t> data(n);
            for (int32_t & v : data) {
                v = int32_t(values() % uint64_t(index_limits_.at(t)));
            }
            ggml_backend_tensor_set(t, data.data(), 0, ggml_nbytes(t));
            return;
        }
        std::vector<float> data(n);
        for (float & v : data) {
            v = float(int64_t(values() % 20001) - 10000) / 10000.0f;
        }
        if (t->type == GGML_TYPE_F32) {
            ggml_backend_tensor_set(t, data.data(), 0, ggml_nbytes(t));
            return;
        }
        std::vector<uint8_t> encoded(ggml_nbytes(t));
        ggml_quantize_chunk(t->type, data.data(), encoded.data(), 0, n / t->ne[0], t->ne[0], nullptr);
        ggml_backend_tensor_set(t, encoded.data(), 0, encoded.size());
    }

    std::mt19937_64                        random_;
    uint64_t                               random_seed_ = random_();
    ggml_context_ptr                       ctx_;
    ggml_cgraph *                          graph_ = nullptr;
    std::vector<ggml_tensor *>             pool_;
    std::vector<ggml_tensor *>             leaves_;
    std::vector<ggml_tensor *>             outputs_;
    std::set<const ggml_tensor *>          used_;
    std::map<const ggml_tensor *, int64_t> index_limits_;
    bool                                   rounds_ = false;
    int                                    made_   = 0;
};

std::vector<std::vector<float>> outputs_of(graph_builder & g, ggml_backend_t backend) {
    std::vector<std::vector<float>> result;
    const ggml_gallocr_ptr          alloc = g.allocate(backend);
    EXPECT_TRUE(alloc) << "no memory for the graph on " << ggml_backend_name(backend);
    if (!alloc) {
        return result;
    }
    EXPECT_EQ(ggml_backend_graph_compute(backend, g.graph()), GGML_STATUS_SUCCESS);
    for (ggml_tensor * t : g.outputs()) {
        std::vector<float> & data = result.emplace_back(ggml_nelements(t));
        ggml_backend_tensor_get(t, data.data(), 0, ggml_nbytes(t));
    }
    return result;
}

double normalised_error(const std::vector<float> & expected, const std::vector<float> & got) {
    double error = 0;
    double norm  = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        if (std::isnan(expected[i]) != std::isnan(got[i])) {
            return INFINITY;
        }
        if (!std::isnan(expected[i]) && expected[i] != got[i]) {
            error += double(expected[i] - got[i]) * double(expected[i] - got[i]);
        }
        norm += std::isfinite(expected[i]) ? double(expected[i]) * double(expected[i]) : 0;
    }
    return error / std::max(norm, 1e-9);
}

class graph_fuzz : public testing::TestWithParam<uint64_t> {};

TEST_P(graph_fuzz, equals_the_cpu) {
    // Tensors remember where they were allocated: each backend gets its own copy of the graph.
    graph_builder on_cpu(GetParam());
    graph_builder g(GetParam());
    ASSERT_FALSE(g.outputs().empty()) << "nothing in this graph is supported";

    const ggml_backend_ptr cpu(ggml_backend_dev_init(cpu_device(), nullptr));
    const ggml_backend_ptr device(ggml_backend_dev_init(directx_device(), nullptr));
    const auto             expected = outputs_of(on_cpu, cpu.get());
    const auto             got      = outputs_of(g, device.get());
    ASSERT_EQ(expected.size(), got.size());
    // The CPU quantises activations in matrix products and rounds halves at other places; plain fp32 differs in order only.
    const double limit = g.rounds() ? 2e-3 : 1e-6;
    for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_LT(normalised_error(expected[i], got[i]), limit) << "output " << i << " of " << g.describe();
    }
    for (const auto & [op, n] : g.refused) {
        ADD_FAILURE() << op << " refused " << n << " time(s), though it is one of the ops that every tier must have";
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, graph_fuzz, testing::ValuesIn(fuzz_seeds(50)),
                         [](const auto & test) { return "seed_" + std::to_string(test.param); });

}  // namespace
