#include "onnx/ops.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ggml_directx::onnx {

namespace {

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

// The angle of pair i at position p is p times a frequency: YaRN's mixture is linear in the position.
struct frequencies {
    std::vector<float> plain;  // what frequency factors divide
    std::vector<float> ramp;   // share of the unscaled angle
    float              scale;  // of cosine and sine
};

frequencies frequencies_of(const rope_params & p, int64_t pairs) {
    float ramp[2];
    ggml_rope_yarn_corr_dims(p.n_dims, p.n_ctx_orig, p.freq_base, p.beta_fast, p.beta_slow, ramp);
    frequencies  f;
    const double step = std::pow(double(p.freq_base), -2.0 / double(p.n_dims));
    for (int64_t i = 0; i < pairs; ++i) {
        f.plain.push_back(float(std::pow(step, double(i))));
        const float y = (float(i) - ramp[0]) / std::max(0.001f, ramp[1] - ramp[0]);
        f.ramp.push_back((1.0f - std::min(1.0f, std::max(0.0f, y))) * p.ext_factor);
    }
    f.scale = p.ext_factor != 0.0f ? p.attn_factor * (1.0f + 0.1f * std::log(1.0f / p.freq_scale)) : p.attn_factor;
    return f;
}

// Which of the four positions of a token turns each pair, and from which pair on its frequencies count.
struct sectioning {
    std::vector<int64_t> position;
    std::vector<int64_t> exponent;
};

sectioning sections_of(const rope_params & p, int64_t pairs) {
    sectioning    s;
    const int64_t total = p.sections[0] + p.sections[1] + p.sections[2] + p.sections[3];
    require(total > 0 && *std::min_element(p.sections, p.sections + 4) >= 0, "sections");
    for (int64_t i = 0; i < pairs; ++i) {
        const int64_t at = i % total;
        int64_t       which;
        if (p.mode == GGML_ROPE_TYPE_IMROPE) {
            which = at % 3 == 1 && at < 3 * p.sections[1]   ? 1
                    : at % 3 == 2 && at < 3 * p.sections[2] ? 2
                    : at % 3 == 0 && at < 3 * p.sections[0] ? 0
                                                            : 3;
        } else {
            which = at < p.sections[0]                                   ? 0
                    : at < p.sections[0] + p.sections[1]                 ? 1
                    : at < p.sections[0] + p.sections[1] + p.sections[2] ? 2
                                                                         : 3;
        }
        s.position.push_back(which);
        s.exponent.push_back(i);
    }
    return s;
}

}  // namespace

void emit_rope(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * x         = dst->src[0];
    const ggml_tensor * positions = dst->src[1];
    const ggml_tensor * factors   = dst->src[2];

    rope_params p;
    static_assert(sizeof(p) <= sizeof(dst->op_params));
    std::memcpy(&p, dst->op_params, sizeof(p));

    require((x->type == GGML_TYPE_F32 || x->type == GGML_TYPE_F16) && dst->type == x->type && positions->type == GGML_TYPE_I32, "types");
    require(!factors || factors->type == GGML_TYPE_F32, "types");
    const bool multi = p.mode == GGML_ROPE_TYPE_MROPE || p.mode == GGML_ROPE_TYPE_IMROPE;
    require(p.mode == GGML_ROPE_TYPE_NORMAL || p.mode == GGML_ROPE_TYPE_NEOX || multi, "this mode");
    require(p.n_dims >= 0 && p.n_dims % 2 == 0 && p.first >= 0 && p.first + p.n_dims <= x->ne[0], "rotated elements");

    const value whole = t.read_f32(x);
    if (p.n_dims == 0) {
        t.write(dst, whole);
        return;
    }
    const int64_t     pairs  = p.n_dims / 2;
    const int64_t     tokens = x->ne[2];
    const frequencies f      = frequencies_of(p, pairs);

    // [tokens, pairs]
    value at = t.cast(t.reshape(t.read(positions), multi ? dims{ 4, tokens } : dims{ tokens, 1 }), element::f32);
    if (multi) {
        const sectioning s = sections_of(p, pairs);
        at = t.transpose(t.op("Gather", { at, t.out.literal(element::i64, { pairs }, s.position.data()) }, { { "axis", int64_t(0) } }),
                         { 1, 0 });
    }
    value angles = t.op("Mul", { at, t.out.literal(element::f32, { 1, pairs }, f.plain.data()) });
    if (factors) {
        require(factors->ne[0] >= pairs, "frequency factors");
        value all = t.reshape(t.read(factors), { 1, factors->ne[0] });
        angles    = t.op("Div", { angles, factors->ne[0] == pairs ? all : t.slice(all, 1, 0, pairs) });
    }
    if (p.ext_factor != 0.0f) {
        std::vector<float> mix;
        for (float r : f.ramp) {
            mix.push_back(p.freq_scale * (1.0f - r) + r);
        }
        angles = t.op("Mul", { angles, t.out.literal(element::f32, { 1, pairs }, mix.data()) });
    } else if (p.freq_scale != 1.0f) {
        angles = t.op("Mul", { angles, t.scalar(p.freq_scale) });
    }
    value cosine = t.op("Cos", { angles });
    value sine   = t.op("Sin", { angles });
    if (f.scale != 1.0f) {
        cosine = t.op("Mul", { cosine, t.scalar(f.scale) });
        sine   = t.op("Mul", { sine, t.scalar(f.scale) });
    }
    if (dst->op == GGML_OP_ROPE_BACK) {
        sine = t.op("Neg", { sine });
    }

    // [batch, tokens, heads * width]: the head's width follows from that of the tables
    const int64_t width = p.n_dims;
    value         part  = whole;
    if (width != x->ne[0]) {
        part = t.slice(whole, 3, p.first, p.first + width);
    }
    const value flat   = t.reshape(part, { x->ne[3], tokens, x->ne[1] * width });
    const value origin = t.out.literal(element::i64, { 1 }, std::vector<int64_t>{ 0 }.data());
    const value rotated =
        t.microsoft("RotaryEmbedding", { flat, origin, cosine, sine }, { { "interleaved", int64_t(p.mode == GGML_ROPE_TYPE_NORMAL) } });
    value y = t.reshape(rotated, { x->ne[3], tokens, x->ne[1], width });
    if (width != x->ne[0]) {
        std::vector<value> parts;
        if (p.first > 0) {
            parts.push_back(t.slice(whole, 3, 0, p.first));
        }
        parts.push_back(y);
        if (p.first + width < x->ne[0]) {
            parts.push_back(t.slice(whole, 3, p.first + width, x->ne[0]));
        }
        y = t.concat(parts, 3);
    }
    t.write(dst, y);
}

}  // namespace ggml_directx::onnx
