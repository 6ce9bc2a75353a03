#include "onnx/weights.h"

#include <algorithm>
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

// One ggml block as unsigned integers, a scale and an offset.
struct unpacked {
    uint8_t q[32];
    float   scale;
    float   offset;
};

void unpack(ggml_type type, const void * block, unpacked & u) {
    const auto * bytes = static_cast<const uint8_t *>(block);
    ggml_fp16_t  d;
    std::memcpy(&d, bytes, sizeof(d));
    u.scale  = ggml_fp16_to_fp32(d);
    u.offset = 0.0f;
    switch (type) {
        case GGML_TYPE_Q4_0:
            for (int i = 0; i < 16; ++i) {
                u.q[i]      = bytes[2 + i] & 15;
                u.q[i + 16] = bytes[2 + i] >> 4;
            }
            break;
        case GGML_TYPE_Q8_0:
            for (int i = 0; i < 32; ++i) {
                u.q[i] = uint8_t(bytes[2 + i] + 128);  // signed to unsigned
            }
            break;
        default: GGML_ABORT("no block format");
    }
}

void make_nbits(prepared_weight & w, const weight_source & s) {
    const nbits_format f        = nbits_of(s.type, s.ne[0], target{});
    const int64_t      blocks   = s.ne[0] * s.ne[1] / f.block;
    const size_t       in_size  = ggml_type_size(s.type);
    const auto *       from     = static_cast<const uint8_t *>(s.data);
    const size_t       out_size = s.form == weight_form::nbits ? size_t(f.block * f.bits / 8) : sizeof(float);
    w.own                       = allocate(w, size_t(blocks) * out_size);
    unpacked u;
    for (int64_t b = 0; b < blocks; ++b) {
        unpack(s.type, from + size_t(b) * in_size, u);
        uint8_t * to = w.own.get() + size_t(b) * out_size;
        if (s.form == weight_form::nbits_scale) {
            std::memcpy(to, &u.scale, sizeof(float));
        } else if (s.form == weight_form::nbits_offset) {
            std::memcpy(to, &u.offset, sizeof(float));
        } else if (f.bits == 8) {
            std::memcpy(to, u.q, size_t(f.block));
        } else {
            for (int64_t i = 0; i < f.block / 2; ++i) {
                to[i] = uint8_t(u.q[2 * i] | u.q[2 * i + 1] << 4);
            }
        }
    }
}

}  // namespace

nbits_format nbits_of(ggml_type type, int64_t k, const target & to) {
    nbits_format f;
    if (!to.nbits || k % ggml_blck_size(type) != 0) {
        return f;
    }
    switch (type) {
        case GGML_TYPE_Q4_0: f.bits = 4; break;
        case GGML_TYPE_Q8_0: f.bits = 8; break;
        default: break;
    }
    f.accuracy = 4;
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
        default: make_nbits(*w, source); break;
    }
    if (w->own) {
        w->data = w->own.get();
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
