#pragma once

// The kernel archive: what tools/hlsl writes and kernel_library reads. Little-endian, packed as written here:
//
//   archive_header
//   archive_chunk  [n_chunks]      the variants of one family for one tier, deflated together (zlib): they resemble each other
//   archive_kernel [n_kernels]     each followed by its name (name_size bytes, no terminator)
//   chunk data

#include <cstdint>

namespace ggml_directx {

constexpr char     archive_magic[8] = { 'G', 'D', 'X', 'K', 'E', 'R', 'N', '\n' };
constexpr uint32_t archive_version  = 1;

struct archive_header {
    char     magic[8];
    uint32_t version;
    uint32_t n_chunks;
    uint32_t n_kernels;
    uint32_t index_size;  // bytes of chunks and kernels together
    uint32_t index_crc;   // CRC-32 of those bytes
    uint32_t total_size;  // of the archive
};

struct archive_chunk {
    uint32_t offset;  // from the start of the archive
    uint32_t packed_size;
    uint32_t size;
    uint32_t crc;  // CRC-32 of the unpacked bytes
};

struct archive_kernel {
    uint32_t chunk;
    uint32_t offset;  // within the unpacked chunk
    uint32_t size;
    uint16_t tier;  // d3d12::tier
    uint16_t name_size;
};

static_assert(sizeof(archive_header) == 32 && sizeof(archive_chunk) == 16 && sizeof(archive_kernel) == 16);

}  // namespace ggml_directx
