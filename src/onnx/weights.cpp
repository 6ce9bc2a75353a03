#include "onnx/weights.h"

#include "log.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ggml_directx::onnx {

namespace {

int64_t elements(const weight_source & s) {
    return s.ne[0] * s.ne[1] * s.ne[2] * s.ne[3];
}

std::unique_ptr<uint8_t[]> allocate(prepared_weight & w, size_t size) {
    w.size = size;
    return std::make_unique_for_overwrite<uint8_t[]>(size);
}

float * floats(std::unique_ptr<uint8_t[]> & bytes) {
    return reinterpret_cast<float *>(bytes.get());
}

void make_plain(prepared_weight & w, const weight_source & s) {
    if (!ggml_is_quantized(s.type)) {
        w.data = s.data;
        w.size = size_t(elements(s)) * ggml_type_size(s.type);
        return;
    }
    w.own = allocate(w, size_t(elements(s)) * sizeof(float));
    to_float(s.type, s.data, floats(w.own), elements(s));
}

void make_transposed(prepared_weight & w, const weight_source & s) {
    const int64_t k             = s.ne[0];
    const int64_t n             = s.ne[1];
    w.own                       = allocate(w, size_t(k * n) * sizeof(float));
    float *            to       = floats(w.own);
    const size_t       row_size = ggml_row_size(s.type, k);
    constexpr int64_t  stripe   = 16;
    std::vector<float> rows(size_t(k * stripe));
    for (int64_t j = 0; j < n; j += stripe) {
        const int64_t count = std::min(stripe, n - j);
        to_float(s.type, static_cast<const uint8_t *>(s.data) + size_t(j) * row_size, rows.data(), k * count);
        for (int64_t i = 0; i < k; ++i) {
            for (int64_t c = 0; c < count; ++c) {
                to[i * n + j + c] = rows[size_t(c * k + i)];
            }
        }
    }
}

float half_at(const uint8_t * at) {
    ggml_fp16_t h;
    std::memcpy(&h, at, sizeof(h));
    return ggml_fp16_to_fp32(h);
}

// The scales of a ggml block whose elements are whole multiples of them, one for each `block` elements of nbits_of.
void scales_of(ggml_type type, const uint8_t * b, float * s) {
    switch (type) {
        case GGML_TYPE_Q4_0:
        case GGML_TYPE_Q5_0:
        case GGML_TYPE_Q8_0:
        case GGML_TYPE_IQ4_NL: s[0] = half_at(b); break;
        case GGML_TYPE_MXFP4: s[0] = std::ldexp(1.0f, int(b[0]) - 128); break;  // elements are halves
        case GGML_TYPE_Q6_K:
            for (int j = 0; j < 16; ++j) {
                s[j] = half_at(b + 208) * float(int8_t(b[192 + j]));
            }
            break;
        case GGML_TYPE_Q3_K: {
            const uint8_t * packed = b + 96;
            for (int j = 0; j < 16; ++j) {
                const int low  = j < 8 ? packed[j] & 15 : packed[j - 8] >> 4;
                const int high = (packed[8 + j % 4] >> (2 * (j / 4))) & 3;
                s[j]           = half_at(b + 108) * float((low | high << 4) - 32);
            }
            break;
        }
        case GGML_TYPE_IQ4_XS:
            for (int j = 0; j < 8; ++j) {
                const int low  = (b[4 + j / 2] >> (4 * (j % 2))) & 15;
                const int high = ((b[2] | b[3] << 8) >> (2 * j)) & 3;
                s[j]           = half_at(b) * float((low | high << 4) - 32);
            }
            break;
        default: GGML_ABORT("no block format");
    }
}

struct packed_block {
    uint8_t q[32];
    float   scale;
    uint8_t zero;
};

// The integers that the file has, of elements that are multiples of the scale.
void pack(const float * x, int n, int bits, float scale, packed_block & p) {
    p.scale = scale;
    p.zero  = uint8_t(1 << (bits - 1));
    for (int i = 0; i < n; ++i) {
        p.q[i] = uint8_t(scale == 0.0f ? p.zero : p.zero + std::lround(x[i] / scale));
    }
}

// New integers: 8 bits around zero, 4 bits between the smallest and the largest.
void quantise(const float * x, int n, int bits, packed_block & p) {
    const auto [least, most] = std::minmax_element(x, x + n);
    if (bits == 8) {
        pack(x, n, bits, std::max(-*least, *most) / 127.0f, p);
        return;
    }
    const float low  = std::min(*least, 0.0f);
    const float high = std::max(*most, 0.0f);
    p.scale          = (high - low) / 15.0f;
    p.zero           = uint8_t(p.scale == 0.0f ? 8 : std::lround(-low / p.scale));
    for (int i = 0; i < n; ++i) {
        p.q[i] = uint8_t(p.scale == 0.0f ? 8 : std::clamp<long>(p.zero + std::lround(x[i] / p.scale), 0, 15));
    }
}

struct error_sum {
    double error = 0.0;
    double power = 0.0;

    void add(const float * x, int n, const packed_block & p) {
        for (int i = 0; i < n; ++i) {
            const double d = double(x[i]) - double(p.scale) * (int(p.q[i]) - int(p.zero));
            error += d * d;
            power += double(x[i]) * double(x[i]);
        }
    }
    double nmse() const { return power > 0.0 ? error / power : 0.0; }
};

void make_nbits(prepared_weight & w, const weight_source & s) {
    const int64_t block    = s.block;
    const int64_t blocks   = s.ne[0] / block;  // of a row
    const int64_t n        = s.ne[1];
    const int64_t in_block = ggml_blck_size(s.type);
    const size_t  row_size = ggml_row_size(s.type, s.ne[0]);
    const size_t  q_size   = size_t(block * s.bits / 8);
    const size_t  z_size   = size_t(blocks + 1) / 2;  // of a row
    const size_t  out_size = s.form == weight_form::nbits         ? size_t(blocks) * q_size
                             : s.form == weight_form::nbits_scale ? size_t(blocks) * sizeof(float)
                                                                  : z_size;
    w.own                  = allocate(w, size_t(n) * out_size);

    std::vector<float> row(size_t(s.ne[0]));
    std::vector<float> scales(static_cast<size_t>(blocks));
    packed_block       p;
    error_sum          sum;
    for (int64_t j = 0; j < n; ++j) {
        const auto * from = static_cast<const uint8_t *>(s.data) + size_t(j) * row_size;
        uint8_t *    to   = w.own.get() + size_t(j) * out_size;
        to_float(s.type, from, row.data(), s.ne[0]);
        if (!s.fresh) {
            for (int64_t b = 0; b < s.ne[0] / in_block; ++b) {
                scales_of(s.type, from + size_t(b) * ggml_type_size(s.type), scales.data() + b * in_block / block);
            }
        }
        if (s.form == weight_form::nbits_zero) {
            std::fill_n(to, z_size, uint8_t(0));
        }
        for (int64_t b = 0; b < blocks; ++b) {
            const float * x = row.data() + b * block;
            if (s.fresh) {
                quantise(x, int(block), s.bits, p);
            } else {
                pack(x, int(block), s.bits, scales[size_t(b)], p);
            }
            if (s.form == weight_form::nbits_scale) {
                std::memcpy(to + size_t(b) * sizeof(float), &p.scale, sizeof(float));
            } else if (s.form == weight_form::nbits_zero) {
                to[b / 2] = uint8_t(to[b / 2] | p.zero << (4 * (b % 2)));
            } else if (s.bits == 8) {
                std::memcpy(to + size_t(b) * q_size, p.q, q_size);
            } else {
                for (size_t i = 0; i < q_size; ++i) {
                    to[size_t(b) * q_size + i] = uint8_t(p.q[2 * i] | p.q[2 * i + 1] << 4);
                }
            }
            if (s.form == weight_form::nbits) {
                sum.add(x, int(block), p);
            }
        }
    }
    if (s.form == weight_form::nbits) {
        w.nmse = sum.nmse();
    }
}

void make_transposed16(prepared_weight & w, const weight_source & s) {
    prepared_weight wide;
    make_transposed(wide, s);
    const int64_t n   = elements(s);
    w.own             = allocate(w, size_t(n) * sizeof(ggml_fp16_t));
    const auto * from = reinterpret_cast<const float *>(wide.own.get());
    auto *       to   = reinterpret_cast<ggml_fp16_t *>(w.own.get());
    ggml_fp32_to_fp16_row(from, to, n);
    double error = 0.0;
    double power = 0.0;
    for (int64_t i = 0; i < n; ++i) {
        const double d = double(from[i]) - double(ggml_fp16_to_fp32(to[i]));
        error += d * d;
        power += double(from[i]) * double(from[i]);
    }
    w.nmse = power > 0.0 ? error / power : 0.0;
}

double bits_of(ggml_type type) {
    return 8.0 * double(ggml_type_size(type)) / double(ggml_blck_size(type));
}

}  // namespace

nbits_format nbits_of(ggml_type type, int64_t k, const target & to) {
    nbits_format f;
    if (!to.nbits || !ggml_is_quantized(type) || k % ggml_blck_size(type) != 0) {
        return f;
    }
    switch (type) {
        case GGML_TYPE_Q4_0: f.bits = 4; break;
        case GGML_TYPE_Q5_0:
        case GGML_TYPE_Q8_0:
        case GGML_TYPE_IQ4_NL:
        case GGML_TYPE_IQ4_XS:
        case GGML_TYPE_MXFP4: f.bits = 8; break;
        case GGML_TYPE_Q3_K:
        case GGML_TYPE_Q6_K:
            f.bits  = 8;
            f.block = 16;
            break;
        default:
            if (to.policy == weight_policy::compact && k % f.block == 0) {
                f.fresh = true;
                f.bits  = bits_of(type) <= 4.6 ? 4 : 8;
            }
            break;
    }
    return f;
}

void to_float(ggml_type type, const void * from, float * to, int64_t n) {
    if (type == GGML_TYPE_F32) {
        std::memcpy(to, from, size_t(n) * sizeof(float));
    } else if (type == GGML_TYPE_F16) {
        ggml_fp16_to_fp32_row(static_cast<const ggml_fp16_t *>(from), to, n);
    } else if (type == GGML_TYPE_BF16) {
        ggml_bf16_to_fp32_row(static_cast<const ggml_bf16_t *>(from), to, n);
    } else {
        ggml_get_type_traits(type)->to_float(from, to, n);
    }
}

std::shared_ptr<const prepared_weight> weight_store::get(const weight_source & source) {
    std::lock_guard lock(mutex_);
    for (const entry & e : entries_) {
        if (e.source == source) {
            return e.weight;
        }
    }
    auto w = std::make_shared<prepared_weight>();
    switch (source.form) {
        case weight_form::plain: make_plain(*w, source); break;
        case weight_form::transposed: make_transposed(*w, source); break;
        case weight_form::transposed16: make_transposed16(*w, source); break;
        default: make_nbits(*w, source); break;
    }
    if (w->own) {
        w->data = w->own.get();
    }
    if (w->nmse > 1e-12) {
        LOG_DX_DEBUG("%s: %s became %s, NMSE %.2g", source.name.c_str(), ggml_type_name(source.type),
                     source.form == weight_form::transposed16 ? "f16"
                     : source.bits == 4                       ? "blocks of 4 bits"
                                                              : "blocks of 8 bits",
                     w->nmse);
        if (!warned_) {
            LOG_DX_INFO("GGML_DIRECTX_ORT_WEIGHTS changes weights, first %s (%s), NMSE %.2g; the others are in the debug log",
                        source.name.c_str(), ggml_type_name(source.type), w->nmse);
            warned_ = true;
        }
    }
    entries_.push_back({ source, w });
    return w;
}

void weight_store::forget(const void * begin, size_t size) {
    const auto      from = reinterpret_cast<uintptr_t>(begin);
    std::lock_guard lock(mutex_);
    std::erase_if(entries_, [&](const entry & e) {
        const auto at = reinterpret_cast<uintptr_t>(e.source.data);
        return at >= from && at < from + size;
    });
}

}  // namespace ggml_directx::onnx
