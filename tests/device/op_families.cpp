#include "op_families.h"

#include <algorithm>

namespace ggml_directx {

namespace {

bool is_empty(const shape & ne) {
    return std::find(ne.begin(), ne.end(), 0) != ne.end();
}

// What makes a square of its rows' length.
bool is_small(const shape & ne) {
    return ne[0] <= 64 && !is_empty(ne);
}

shape with(shape ne, int dim, int64_t n) {
    ne[size_t(dim)] = n;
    return ne;
}

shape in_blocks(const shape & ne, int64_t block = 32) {
    return with(ne, 0, (ne[0] + block - 1) / block * block);
}

int64_t tap_count(const shape & ne) {
    return std::min<int64_t>(ne[0], 3);
}

// clang-format off: a table
constexpr op_family families[] = {
    { "add",
      [](op_builder & b, const shape & ne) {
          return ggml_add(b.ctx(), b.floats(ne), b.floats({ ne[0], 1, ne[2], 1 }));
      } },
    { "mul_f16",
      [](op_builder & b, const shape & ne) { return ggml_mul(b.ctx(), b.values(GGML_TYPE_F16, ne), b.values(GGML_TYPE_F16, ne)); }, 1e-6 },
    { "add_id",
      [](op_builder & b, const shape & ne) {
          return ne[3] != 1 ? nullptr
                            : ggml_add_id(b.ctx(), b.floats(ne), b.floats({ ne[0], 5, 1, 1 }),
                                          b.indices(GGML_TYPE_I32, { ne[1], ne[2], 1, 1 }, 5));
      } },
    { "gelu", [](op_builder & b, const shape & ne) { return ggml_gelu(b.ctx(), b.floats(ne)); }, 1e-6 },
    { "log", [](op_builder & b, const shape & ne) { return ggml_log(b.ctx(), b.positive(ne)); }, 1e-6 },
    { "transposed", [](op_builder & b, const shape & ne) { return ggml_cont(b.ctx(), ggml_transpose(b.ctx(), b.floats(ne))); } },
    { "swiglu", [](op_builder & b, const shape & ne) { return ggml_swiglu(b.ctx(), b.floats(with(ne, 0, 2 * ne[0]))); }, 1e-6 },
    { "silu_back", [](op_builder & b, const shape & ne) { return ggml_silu_back(b.ctx(), b.floats(ne), b.floats(ne)); }, 1e-6 },
    { "norm", [](op_builder & b, const shape & ne) { return ggml_norm(b.ctx(), b.floats(ne), 1e-5f); } },
    { "rms_norm", [](op_builder & b, const shape & ne) { return ggml_rms_norm(b.ctx(), b.floats(ne), 1e-5f); } },
    { "l2_norm", [](op_builder & b, const shape & ne) { return ggml_l2_norm(b.ctx(), b.floats(ne), 1e-5f); } },
    { "group_norm",
      [](op_builder & b, const shape & ne) {
          return is_empty(ne) || ne[3] > 1000 ? nullptr : ggml_group_norm(b.ctx(), b.floats(ne), int(std::min<int64_t>(ne[2], 3)), 1e-5f);
      } },
    { "rms_norm_back", [](op_builder & b, const shape & ne) { return ggml_rms_norm_back(b.ctx(), b.floats(ne), b.floats(ne), 1e-5f); },
      1e-6 },
    { "soft_max",
      [](op_builder & b, const shape & ne) {
          return ggml_soft_max_ext(b.ctx(), b.floats(ne), b.values(GGML_TYPE_F16, { ne[0], ne[1], 1, 1 }), 0.5f, 0.0f);
      },
      1e-6 },
    { "soft_max_back",
      [](op_builder & b, const shape & ne) { return ggml_soft_max_ext_back(b.ctx(), b.floats(ne), b.floats(ne), 0.5f, 0.0f); }, 1e-6 },
    { "sum", [](op_builder & b, const shape & ne) { return ggml_sum(b.ctx(), b.positive(ne)); } },
    { "sum_rows", [](op_builder & b, const shape & ne) { return ggml_sum_rows(b.ctx(), b.positive(ne)); } },
    { "mean", [](op_builder & b, const shape & ne) { return ggml_mean(b.ctx(), b.positive(ne)); } },
    { "cumsum", [](op_builder & b, const shape & ne) { return ne[3] > 1000 ? nullptr : ggml_cumsum(b.ctx(), b.floats(ne)); }, 1e-6 },
    { "argmax",
      [](op_builder & b, const shape & ne) { return ne[2] * ne[3] != 1 || ne[0] == 0 ? nullptr : ggml_argmax(b.ctx(), b.distinct(ne)); } },
    { "count_equal",
      [](op_builder & b, const shape & ne) {
          // As a matrix: the CPU backend miscounts rows in more dimensions.
          const shape rows = { ne[0], ne[1] * ne[2] * ne[3], 1, 1 };
          return ggml_count_equal(b.ctx(), b.indices(GGML_TYPE_I32, rows, 7), b.indices(GGML_TYPE_I32, rows, 5));
      } },
    { "argsort", [](op_builder & b, const shape & ne) { return ggml_argsort(b.ctx(), b.distinct(ne), GGML_SORT_ORDER_DESC); } },
    { "top_k", [](op_builder & b, const shape & ne) { return is_empty(ne) ? nullptr : ggml_top_k(b.ctx(), b.distinct(ne), 1); } },
    { "cpy_f32_f16", [](op_builder & b, const shape & ne) { return ggml_cpy(b.ctx(), b.floats(ne), b.values(GGML_TYPE_F16, ne)); } },
    { "cpy_f32_q8_0",
      [](op_builder & b, const shape & ne) { return ggml_cpy(b.ctx(), b.floats(in_blocks(ne)), b.values(GGML_TYPE_Q8_0, in_blocks(ne))); },
      1e-5 },
    { "cpy_q4_0_f32",
      [](op_builder & b, const shape & ne) {
          return ggml_cpy(b.ctx(), b.values(GGML_TYPE_Q4_0, in_blocks(ne)), b.floats(in_blocks(ne)));
      } },
    { "cont_f16",
      [](op_builder & b, const shape & ne) { return ggml_cont(b.ctx(), ggml_permute(b.ctx(), b.values(GGML_TYPE_F16, ne), 2, 0, 3, 1)); } },
    { "concat", [](op_builder & b, const shape & ne) { return ggml_concat(b.ctx(), b.floats(ne), b.floats(with(ne, 1, 3)), 1); } },
    { "repeat", [](op_builder & b, const shape & ne) { return ggml_repeat_4d(b.ctx(), b.floats(ne), ne[0], 2 * ne[1], ne[2], ne[3]); } },
    { "repeat_back_rows",
      [](op_builder & b, const shape & ne) {
          return is_empty(ne) ? nullptr : ggml_repeat_back(b.ctx(), b.positive(ne), b.floats({ ne[0], 1, 1, ne[3] }));
      } },
    { "repeat_back_row",
      [](op_builder & b, const shape & ne) {
          return is_empty(ne) ? nullptr : ggml_repeat_back(b.ctx(), b.positive(ne), b.floats({ 1, ne[1], ne[2], ne[3] }));
      } },
    { "pad", [](op_builder & b, const shape & ne) { return ggml_pad(b.ctx(), b.floats(ne), 3, 1, 0, 1); } },
    { "pad_circular",
      [](op_builder & b, const shape & ne) { return is_empty(ne) ? nullptr : ggml_pad_circular(b.ctx(), b.floats(ne), 1, 1, 0, 1); } },
    { "pad_reflect",
      [](op_builder & b, const shape & ne) {
          return ne[0] < 3 || is_empty(ne) ? nullptr : ggml_pad_reflect_1d(b.ctx(), b.floats(ne), 1, 2);
      } },
    { "roll",
      [](op_builder & b, const shape & ne) { return is_empty(ne) || ne[0] < 3 ? nullptr : ggml_roll(b.ctx(), b.floats(ne), 2, 0, 0, 0); } },
    { "set",
      [](op_builder & b, const shape & ne) {
          ggml_tensor * a = b.floats(ne);
          return is_empty(ne) ? nullptr : ggml_set(b.ctx(), a, b.floats({ 1, ne[1], ne[2], ne[3] }), a->nb[1], a->nb[2], a->nb[3], 0);
      } },
    { "acc",
      [](op_builder & b, const shape & ne) {
          ggml_tensor * a = b.floats(ne);
          return is_empty(ne) ? nullptr : ggml_acc(b.ctx(), a, b.floats({ 1, ne[1], ne[2], ne[3] }), a->nb[1], a->nb[2], a->nb[3], 0);
      } },
    { "diag", [](op_builder & b, const shape & ne) { return ne[0] > 64 ? nullptr : ggml_diag(b.ctx(), b.floats(with(ne, 1, 1))); } },
    { "diag_mask", [](op_builder & b, const shape & ne) { return ggml_diag_mask_inf(b.ctx(), b.floats(ne), 1); } },
    { "tri",
      [](op_builder & b, const shape & ne) {
          return ne[0] > 64 ? nullptr : ggml_tri(b.ctx(), b.floats(with(ne, 1, ne[0])), GGML_TRI_TYPE_LOWER_DIAG);
      } },
    { "get_rows",
      [](op_builder & b, const shape & ne) {
          return is_empty(ne) ? nullptr : ggml_get_rows(b.ctx(), b.floats(ne), b.indices(GGML_TYPE_I32, { 5, ne[2], ne[3], 1 }, ne[1], 13));
      } },
    { "get_rows_q4_0",
      [](op_builder & b, const shape & ne) {
          const shape table = in_blocks(with(ne, 1, 7));
          return ggml_get_rows(b.ctx(), b.values(GGML_TYPE_Q4_0, table), b.indices(GGML_TYPE_I32, { ne[1], ne[2], ne[3], 1 }, 7, 3));
      } },
    { "set_rows_f16",
      [](op_builder & b, const shape & ne) {
          return ne[2] * ne[3] == 0 ? nullptr
                                    : ggml_set_rows(b.ctx(), b.values(GGML_TYPE_F16, ne), b.floats(ne),
                                                    b.indices(GGML_TYPE_I64, { ne[1], ne[2], ne[3], 1 }, ne[1]));
      } },
    { "set_rows_q8_0",
      [](op_builder & b, const shape & ne) {
          return ne[2] * ne[3] == 0 ? nullptr
                                    : ggml_set_rows(b.ctx(), b.values(GGML_TYPE_Q8_0, in_blocks(ne)), b.floats(in_blocks(ne)),
                                                    b.indices(GGML_TYPE_I32, { ne[1], 1, 1, 1 }, ne[1]));
      },
      1e-5 },
    { "get_rows_back",
      [](op_builder & b, const shape & ne) {
          return ne[2] * ne[3] != 1 ? nullptr
                                    : ggml_get_rows_back(b.ctx(), b.floats(ne), b.indices(GGML_TYPE_I32, { ne[1], 1, 1, 1 }, 7),
                                                         b.floats({ ne[0], 7, 1, 1 }));
      } },
    { "rope",
      [](op_builder & b, const shape & ne) {
          return ne[0] < 2 ? nullptr
                           : ggml_rope(b.ctx(), b.floats(with(ne, 0, ne[0] / 2 * 2)), b.indices(GGML_TYPE_I32, { ne[2], 1, 1, 1 }, 64), 2,
                                       GGML_ROPE_TYPE_NORMAL);
      },
      1e-6 },
    { "mul_mat_columns",
      [](op_builder & b, const shape & ne) {
          return ne[0] * ne[2] * ne[3] == 0 ? nullptr : ggml_mul_mat(b.ctx(), b.floats({ ne[0], 7, ne[2], 1 }), b.floats(ne));
      },
      1e-6 },
    { "mul_mat_rows",
      [](op_builder & b, const shape & ne) {
          return ne[0] * ne[2] * ne[3] == 0 ? nullptr : ggml_mul_mat(b.ctx(), b.values(GGML_TYPE_F16, ne), b.floats(with(ne, 1, 1)));
      },
      1e-6 },
    { "mul_mat_q4_0",
      [](op_builder & b, const shape & ne) {
          return ne[0] * ne[2] * ne[3] == 0
                     ? nullptr
                     : ggml_mul_mat(b.ctx(), b.values(GGML_TYPE_Q4_0, in_blocks(ne)), b.floats(in_blocks(with(ne, 1, 2))));
      },
      5e-4 },
    { "mul_mat_id",
      [](op_builder & b, const shape & ne) {
          return ne[3] != 1 || is_empty(ne)
                     ? nullptr
                     : ggml_mul_mat_id(b.ctx(), b.floats({ ne[0], 5, 4, 1 }), b.floats({ ne[0], 1, ne[1] * ne[2], 1 }),
                                       b.indices(GGML_TYPE_I32, { 2, ne[1] * ne[2], 1, 1 }, 4));
      },
      1e-6 },
    { "mul_mat_id_experts",
      [](op_builder & b, const shape & ne) {
          return ne[3] != 1 || is_empty(ne) ? nullptr
                                            : ggml_mul_mat_id(b.ctx(), b.floats(ne), b.floats({ ne[0], 1, 3, 1 }),
                                                              b.indices(GGML_TYPE_I32, { 1, 3, 1, 1 }, ne[2]));
      },
      1e-6 },
    { "out_prod_long",
      [](op_builder & b, const shape & ne) {
          return ne[2] * ne[3] == 0 ? nullptr
                                    : ggml_out_prod(b.ctx(), b.floats({ 5, ne[0], ne[2], ne[3] }), b.floats({ 7, ne[0], ne[2], ne[3] }));
      },
      1e-6 },
    { "out_prod_wide",
      [](op_builder & b, const shape & ne) {
          return ne[0] * ne[2] * ne[3] == 0 ? nullptr
                                            : ggml_out_prod(b.ctx(), b.floats(with(ne, 1, 3)), b.floats({ ne[1], 3, ne[2], ne[3] }));
      },
      1e-6 },
    { "flash_attn",
      [](op_builder & b, const shape & ne) {
          if (is_empty(ne) || (ne[0] > 64 && ne[1] > 1)) {
              return static_cast<ggml_tensor *>(nullptr);
          }
          ggml_tensor * k = b.values(GGML_TYPE_F16, { 8, ne[0], ne[2], ne[3] });
          ggml_tensor * v = b.values(GGML_TYPE_F16, { 8, ne[0], ne[2], ne[3] });
          return ggml_flash_attn_ext(b.ctx(), b.floats({ 8, ne[1], ne[2], ne[3] }), k, v, nullptr, 0.3f, 0.0f, 0.0f);
      },
      5e-4 },
    { "cross_entropy",
      [](op_builder & b, const shape & ne) {
          return is_empty(ne) || ne[2] * ne[3] != 1 ? nullptr : ggml_cross_entropy_loss(b.ctx(), b.floats(ne), b.positive(ne));
      },
      1e-6 },
    { "cross_entropy_back",
      [](op_builder & b, const shape & ne) {
          return is_empty(ne) || ne[2] * ne[3] != 1
                     ? nullptr
                     : ggml_cross_entropy_loss_back(b.ctx(), b.floats({ 1, 1, 1, 1 }), b.floats(ne), b.positive(ne));
      },
      1e-6 },
    { "opt_step_adamw",
      [](op_builder & b, const shape & ne) {
          ggml_tensor * weights = b.floats(ne);
          ggml_set_param(weights);
          return ggml_opt_step_adamw(b.ctx(), weights, b.floats(ne), b.positive(ne), b.positive(ne), b.positive({ 7, 1, 1, 1 }));
      },
      1e-6 },
    { "upscale",
      [](op_builder & b, const shape & ne) {
          return is_empty(ne) ? nullptr : ggml_upscale(b.ctx(), b.floats(ne), 2, GGML_SCALE_MODE_NEAREST);
      } },
    { "pool_1d",
      [](op_builder & b, const shape & ne) {
          return is_empty(ne) ? nullptr : ggml_pool_1d(b.ctx(), b.floats(ne), GGML_OP_POOL_AVG, int(tap_count(ne)), 1, 0);
      } },
    { "pool_2d",
      [](op_builder & b, const shape & ne) {
          return is_empty(ne) ? nullptr : ggml_pool_2d(b.ctx(), b.floats(ne), GGML_OP_POOL_MAX, int(tap_count(ne)), 1, 1, 1, 0, 0);
      } },
    { "im2col",
      [](op_builder & b, const shape & ne) {
          return is_empty(ne)
                     ? nullptr
                     : ggml_im2col(b.ctx(), b.floats({ tap_count(ne), 1, ne[2], 2 }), b.floats(ne), 1, 1, 1, 0, 1, 1, true, GGML_TYPE_F32);
      } },
    { "conv_2d",
      [](op_builder & b, const shape & ne) {
          return is_empty(ne) ? nullptr
                              : ggml_conv_2d_direct(b.ctx(), b.floats({ tap_count(ne), 1, ne[2], 2 }), b.floats(ne), 1, 1, 1, 0, 1, 1);
      },
      1e-6 },
    { "conv_2d_dw",
      [](op_builder & b, const shape & ne) {
          return is_empty(ne) ? nullptr
                              : ggml_conv_2d_dw_direct(b.ctx(), b.floats({ tap_count(ne), 1, 1, ne[2] }), b.floats(ne), 1, 1, 1, 0, 1, 1);
      },
      1e-6 },
    { "conv_transpose_1d",
      [](op_builder & b, const shape & ne) {
          return is_empty(ne) || ne[2] * ne[3] != 1 ? nullptr
                                                    : ggml_conv_transpose_1d(b.ctx(), b.floats({ 3, 2, ne[1], 1 }), b.floats(ne), 2, 0, 1);
      },
      1e-6 },
    { "col2im_1d",
      [](op_builder & b, const shape & ne) {
          return is_empty(ne) || ne[2] * ne[3] != 1 ? nullptr : ggml_col2im_1d(b.ctx(), b.floats(ne), 1, 1, 0);
      } },
    { "timestep_embedding",
      [](op_builder & b, const shape & ne) {
          return ne[0] > 64 ? nullptr : ggml_timestep_embedding(b.ctx(), b.floats({ ne[1] * ne[2] * ne[3], 1, 1, 1 }), 16, 10000);
      },
      1e-6 },
    { "ssm_conv",
      [](op_builder & b, const shape & ne) {
          return is_empty(ne) || ne[3] != 1
                     ? nullptr
                     : ggml_ssm_conv(b.ctx(), b.floats({ ne[0] + 3, ne[1], ne[2], 1 }), b.floats({ 4, ne[1], 1, 1 }));
      },
      1e-6 },
    { "ssm_scan",
      [](op_builder & b, const shape & ne) {
          return !is_small(ne) ? nullptr
                               : ggml_ssm_scan(b.ctx(), b.floats({ 4, 2, ne[2], ne[3] }), b.floats({ 2, ne[2], ne[1], ne[3] }),
                                               b.floats({ ne[2], ne[1], ne[3], 1 }), b.constant({ 1, ne[2], 1, 1 }, -0.5f),
                                               b.floats({ 4, 1, ne[1], ne[3] }), b.floats({ 4, 1, ne[1], ne[3] }),
                                               b.indices(GGML_TYPE_I32, { ne[3], 1, 1, 1 }, ne[3]), 1);
      },
      1e-6 },
    { "gated_linear_attn",
      [](op_builder & b, const shape & ne) {
          const shape rows = { 4, ne[2], ne[1] * ne[3], 1 };
          return !is_small(ne) ? nullptr
                               : ggml_gated_linear_attn(b.ctx(), b.floats(rows), b.floats(rows), b.floats(rows), b.constant(rows, 0.5f),
                                                        b.floats({ 16 * ne[2], ne[3], 1, 1 }), 0.5f);
      },
      1e-6 },
    { "solve_tri",
      [](op_builder & b, const shape & ne) {
          return !is_small(ne) ? nullptr
                               : ggml_solve_tri(b.ctx(), b.constant({ ne[0], ne[0], ne[2], ne[3] }, 1.0f),
                                                b.floats({ ne[1], ne[0], ne[2], ne[3] }), true, true, false);
      },
      1e-6 },
    { "fill", [](op_builder & b, const shape & ne) { return ggml_fill(b.ctx(), b.floats(ne), 3.0f); } },
    { "arange", [](op_builder & b, const shape & ne) { return is_empty(ne) ? nullptr : ggml_arange(b.ctx(), 0.0f, float(ne[0]), 1.0f); } },
};
// clang-format on

}  // namespace

std::span<const op_family> op_families() {
    return families;
}

}  // namespace ggml_directx
