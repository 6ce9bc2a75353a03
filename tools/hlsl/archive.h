#pragma once

#include "catalogue.h"

#include <cstdint>
#include <vector>

namespace hlsl {

// The kernel archive of src/kernels/archive_format.h. `code` belongs to `variants` one by one; both sorted by family and tier.
std::vector<uint8_t> make_archive(const std::vector<variant> & variants, const std::vector<std::vector<uint8_t>> & code);

}  // namespace hlsl
