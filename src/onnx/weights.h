#pragma once

// Constants of sessions: ggml's weights in the forms that ONNX has.

#include "onnx/model.h"
#include "onnx/translator.h"

#include "ggml-backend.h"

#include <memory>
#include <mutex>
#include <vector>

namespace ggml_directx::onnx {

// How MatMulNBits holds a type: w = scale * (q - zero), q unsigned, zero 2^(bits - 1) unless each block has its own.
struct nbits_format {
    uint8_t bits  = 0;  // 0: it does not
    uint8_t block = 32;
    bool    fresh = false;  // quantised anew; else the file's integers and scales
    bool    has_zeros() const { return fresh && bits == 4; }
};

// For a matrix with rows of k elements.
nbits_format nbits_of(ggml_type type, int64_t k, const target & to);

// A constant's bytes, its own or those of the tensor.
struct prepared_weight {
    const void *               data = nullptr;
    size_t                     size = 0;
    double                     nmse = 0.0;  // against the tensor, of a form that changes it
    std::unique_ptr<uint8_t[]> own;
};

// Keeps what was made of weights, so that sessions share it. Thread-safe.
class weight_store {
public:
    std::shared_ptr<const prepared_weight> get(const weight_source & source);

    // The memory is about to go or has changed: what was made of it is not given out again.
    void forget(const void * begin, size_t size);

private:
    struct entry {
        weight_source                          source;
        std::shared_ptr<const prepared_weight> weight;
    };
    std::mutex         mutex_;
    std::vector<entry> entries_;
    bool               warned_ = false;
};

// ggml's own dequantisation of n elements of whole rows.
void to_float(ggml_type type, const void * from, float * to, int64_t n);

}  // namespace ggml_directx::onnx
