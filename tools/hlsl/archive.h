#pragma once

#include "catalogue.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hlsl {

// The kernel archive of src/kernels/archive_format.h. `code` belongs to `variants` one by one, both in the catalogue's
// order: by tier, then family, then name.
std::vector<uint8_t> make_archive(const std::vector<variant> & variants, const std::vector<std::span<const uint8_t>> & code);

// A COFF object that holds the archive between the symbols ggml_directx_kernels_begin and _end, for linkers whose
// assembler cannot take in a file (Microsoft's). `machine`: x64 or arm64; std::runtime_error for others.
std::vector<uint8_t> make_coff_object(std::span<const uint8_t> archive, const std::string & machine);

}  // namespace hlsl
