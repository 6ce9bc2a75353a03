#include "ops/rope.h"

#include "kernels/rope_args.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ggml_directx {

namespace {

constexpr uint64_t group_size = 64;

// Rows with one position share the angles. From this many quads on there are threads enough to let each do several.
constexpr uint64_t many_quads    = 65536;
constexpr uint32_t heads_if_many = 4;

// ggml's parameters of the op, in its order.
struct rope_params {
    int32_t n_past;
    int32_t n_dims;
    int32_t mode;
    int32_t n_ctx;
    int32_t n_ctx_orig;
    float   freq_base;
    float   freq_scale;
    float   ext_factor;
    float   attn_factor;
    float   beta_fast;
    float   beta_slow;
    int32_t sections[4];
    int32_t first;
};

static_assert(sizeof(rope_params) == 16 * sizeof(int32_t));

bool is_known_mode(int32_t mode) {
    return mode == GGML_ROPE_TYPE_NORMAL || mode == GGML_ROPE_TYPE_NEOX || mode == GGML_ROPE_TYPE_MROPE || mode == GGML_ROPE_TYPE_VISION ||
           mode == GGML_ROPE_TYPE_IMROPE;
}

bool set_sections(args::rope_args & a, const rope_params & p) {
    a.turn = 0x7fffffff;
    if (!(p.mode & GGML_ROPE_TYPE_MROPE)) {
        return true;
    }

    uint32_t start = 0;
    for (int i = 0; i < 4; ++i) {
        if (p.sections[i] < 0) {
            return false;
        }
        const uint32_t length = uint32_t(p.sections[i]);
        a.section_start[i]    = start;
        start += length;
        a.section_end[i] = p.mode == GGML_ROPE_TYPE_IMROPE ? 3 * length : start;
    }
    if (start == 0) {
        return false;
    }
    a.turn   = start;
    a.layout = p.mode == GGML_ROPE_TYPE_IMROPE ? args::rope_interleaved : args::rope_sections;

    // Of sections that start at the same pair, ggml starts only the first one anew.
    if (p.mode == GGML_ROPE_TYPE_VISION) {
        for (int i = 0; i < 4; ++i) {
            a.section_resets[i] = i == 0 || a.section_start[i] != a.section_start[i - 1];
        }
    }
    return true;
}

void set_angles(args::rope_args & a, const rope_params & p) {
    float ramp[2];
    ggml_rope_yarn_corr_dims(p.n_dims, p.n_ctx_orig, p.freq_base, p.beta_fast, p.beta_slow, ramp);

    a.theta_scale = std::pow(p.freq_base, -2.0f / float(p.n_dims));
    a.freq_scale  = p.freq_scale;
    a.ext_factor  = p.ext_factor;
    a.mscale      = p.ext_factor != 0.0f ? p.attn_factor * (1.0f + 0.1f * std::log(1.0f / p.freq_scale)) : p.attn_factor;
    a.ramp_low    = ramp[0];
    a.ramp_width  = std::max(0.001f, ramp[1] - ramp[0]);
}

// True if every row starts at a multiple of 4 bytes.
bool has_word_rows(const args::tensor_args & t) {
    bool aligned = t.offset % 4 == 0;
    for (int i = 1; i < GGML_MAX_DIMS; ++i) {
        aligned &= t.ne[i] == 1 || t.nb[i] % 4 == 0;
    }
    return aligned;
}

}  // namespace

bool encode_rope(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * src       = dst->src[0];
    const ggml_tensor * positions = dst->src[1];
    const ggml_tensor * factors   = dst->src[2];

    rope_params p;
    static_assert(sizeof(p) <= sizeof(dst->op_params));
    std::memcpy(&p, dst->op_params, sizeof(p));

    const bool vision = p.mode == GGML_ROPE_TYPE_VISION;
    if ((src->type != GGML_TYPE_F32 && src->type != GGML_TYPE_F16) || dst->type != src->type || positions->type != GGML_TYPE_I32 ||
        (factors && factors->type != GGML_TYPE_F32) || !ggml_are_same_shape(src, dst) || !is_known_mode(p.mode)) {
        return false;
    }
    const size_t element = ggml_type_size(src->type);
    if (src->nb[0] != element || dst->nb[0] != element) {
        return false;
    }
    // Nothing to rotate is a copy: by such a rope llama.cpp asks where the frequency factors may lie.
    if (p.n_dims < 0 || p.n_dims % 2 != 0 || p.first < 0 || p.first % 2 != 0 || p.first + int64_t(p.n_dims) > src->ne[0] ||
        (vision && (p.first != 0 || p.n_dims * int64_t(2) != src->ne[0]))) {
        return false;
    }

    args::rope_args a{};
    if (!set_sections(a, p)) {
        return false;
    }
    set_angles(a, p);
    a.sin_sign = dst->op == GGML_OP_ROPE_BACK ? -1.0f : 1.0f;

    a.rotated       = uint32_t(vision ? src->ne[0] : p.n_dims);
    a.pairs         = a.rotated / 2;
    a.first         = uint32_t(p.first);
    a.pair_step     = p.mode == GGML_ROPE_TYPE_NORMAL ? 2 : 1;
    a.pair_distance = p.mode == GGML_ROPE_TYPE_NORMAL ? 1 : a.pairs;
    if (factors && factors->ne[0] < int64_t(a.pairs)) {
        return false;
    }

    a.src         = e.read(src);
    a.positions   = e.read(positions);
    a.factors     = factors ? e.read(factors) : e.none();
    a.dst         = e.write(dst);
    a.has_factors = factors != nullptr;
    a.packed      = has_word_rows(a.dst) && (a.pair_distance == 1 || a.pairs % 2 == 0);

    a.rotated_quads              = (a.pairs + 1) / 2;
    a.quads                      = a.rotated_quads + (uint32_t(src->ne[0]) - a.rotated + 3) / 4;
    const uint64_t one_head_each = uint64_t(a.quads) * uint64_t(ggml_nrows(src));
    if (one_head_each > UINT32_MAX - group_size) {
        return false;
    }
    a.heads       = one_head_each >= many_quads ? std::min(heads_if_many, uint32_t(src->ne[1])) : 1;
    a.head_blocks = (uint32_t(src->ne[1]) + a.heads - 1) / a.heads;
    a.total_quads = a.quads * a.head_blocks * uint32_t(src->ne[2] * src->ne[3]);

    return e.dispatch_linear(std::string("rope.") + ggml_type_name(src->type), a, (uint64_t(a.total_quads) + group_size - 1) / group_size);
}

}  // namespace ggml_directx
