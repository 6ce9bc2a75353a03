#pragma once

// Single ops through ggml's backend interface, on a DirectX device and on ggml's CPU backend.

#include "d3d12/device.h"

#include "ggml-cpp.h"
#include "ggml.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ggml_directx {

using shape = std::array<int64_t, GGML_MAX_DIMS>;

// Makes the tensors of one op, with the same contents for every backend.
class op_builder {
public:
    op_builder();

    ggml_context * ctx() const { return ctx_.get(); }

    // Values in [-1, 1), or blocks made of such.
    ggml_tensor * values(ggml_type type, const shape & ne);
    ggml_tensor * floats(const shape & ne) { return values(GGML_TYPE_F32, ne); }
    // In [0.5, 1.5): for what takes no negative numbers, or divides.
    ggml_tensor * positive(const shape & ne);
    // No value twice in up to 2^23 elements: for what compares.
    ggml_tensor * distinct(const shape & ne);
    // Every value the same.
    ggml_tensor * constant(const shape & ne, float value);
    // Rows of I32 or I64 from 0 up to `below`, one after the other by `step`, and from the beginning again.
    ggml_tensor * indices(ggml_type type, const shape & ne, int64_t below, int64_t step = 1);

    // Fills all that was made; the tensors have memory.
    void fill() const;

private:
    ggml_tensor * leaf(ggml_type type, const shape & ne, std::function<void(ggml_tensor *)> fill);

    ggml_context_ptr                   ctx_;
    std::vector<std::function<void()>> fills_;
};

// Makes an op's result.
using op_maker = std::function<ggml_tensor *(op_builder &)>;

ggml_backend_t device_stream();
ggml_backend_t cpu_stream();

d3d12::device & tested_device();

// What a tensor may span in a kernel of the tested device, less than it can as long as this lives.
class lowered_span {
public:
    explicit lowered_span(uint64_t bytes) : before_(tested_device().caps().max_span) { tested_device().set_max_span(bytes); }
    ~lowered_span() { tested_device().set_max_span(before_); }

    lowered_span(const lowered_span &)             = delete;
    lowered_span & operator=(const lowered_span &) = delete;

private:
    uint64_t before_;
};

// Whether a backend claims all that the result takes.
bool device_supports(const op_maker & make);
bool cpu_supports(const op_maker & make);

// Computes on one backend; the result as floats. Fails the test where that does not work.
std::vector<float> result_of(ggml_backend_t backend, const op_maker & make);

// Mean squared difference over the mean square of `expected`; infinite where one is not finite and the other differs.
double relative_error(const std::vector<float> & expected, const std::vector<float> & got);

}  // namespace ggml_directx
