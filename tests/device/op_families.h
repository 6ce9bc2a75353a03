#pragma once

// One op of each family, made for any shape.

#include "op_fixture.h"

#include <ostream>
#include <span>
#include <string_view>

namespace ggml_directx {

struct op_family {
    std::string_view name;
    // Null where the op has no such shape: ggml itself would refuse to make it, or it would be of absurd size.
    ggml_tensor * (*make)(op_builder & b, const shape & ne);
    double tolerance = 1e-7;  // relative_error; test-backend-ops allows 1e-7 to 5e-4
};

std::span<const op_family> op_families();

inline void PrintTo(const op_family & family, std::ostream * out) {
    *out << family.name;
}

}  // namespace ggml_directx
