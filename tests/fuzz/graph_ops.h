#pragma once

// The parts of the table graph_ops(), and what their makers share.

#include "random_graph.h"

// Normalised errors. What moves values and what makes integers has none; the others are test-backend-ops' limits, but where
// the CPU looks tables of halves up.
constexpr double exact         = 0;
constexpr double plain_limit   = 1e-7;
constexpr double table_limit   = 1e-5;
constexpr double written_limit = 1e-6;  // written as blocks: the last bit of a float decides between two steps
constexpr double product_limit = 5e-4;  // the CPU quantises activations or rounds them to halves

// Every type that tensors of weights have.
constexpr ggml_type weight_types[] = {
    GGML_TYPE_F32,     GGML_TYPE_F16,    GGML_TYPE_BF16,   GGML_TYPE_Q1_0,    GGML_TYPE_Q2_0,  GGML_TYPE_Q4_0,  GGML_TYPE_Q4_1,
    GGML_TYPE_Q5_0,    GGML_TYPE_Q5_1,   GGML_TYPE_Q8_0,   GGML_TYPE_Q2_K,    GGML_TYPE_Q3_K,  GGML_TYPE_Q4_K,  GGML_TYPE_Q5_K,
    GGML_TYPE_Q6_K,    GGML_TYPE_IQ4_NL, GGML_TYPE_IQ4_XS, GGML_TYPE_TQ1_0,   GGML_TYPE_TQ2_0, GGML_TYPE_MXFP4, GGML_TYPE_NVFP4,
    GGML_TYPE_IQ2_XXS, GGML_TYPE_IQ2_XS, GGML_TYPE_IQ2_S,  GGML_TYPE_IQ3_XXS, GGML_TYPE_IQ3_S, GGML_TYPE_IQ1_S, GGML_TYPE_IQ1_M,
};
constexpr ggml_type float_types[] = { GGML_TYPE_F32, GGML_TYPE_F32, GGML_TYPE_F16 };
constexpr ggml_type index_types[] = { GGML_TYPE_I32, GGML_TYPE_I64 };

inline shape with(shape ne, size_t dimension, int64_t n) {
    ne[dimension] = n;
    return ne;
}

inline shape shape_of(const ggml_tensor * t) {
    return { t->ne[0], t->ne[1], t->ne[2], t->ne[3] };
}

void add_elementwise_ops(std::vector<graph_op> & ops);
void add_row_ops(std::vector<graph_op> & ops);
void add_copy_ops(std::vector<graph_op> & ops);
void add_product_ops(std::vector<graph_op> & ops);
void add_image_ops(std::vector<graph_op> & ops);
void add_recurrent_ops(std::vector<graph_op> & ops);
void add_training_ops(std::vector<graph_op> & ops);
