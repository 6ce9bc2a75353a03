#include "archive.h"

#include "kernels/archive_format.h"

#include <zlib.h>

#include <stdexcept>

namespace hlsl {

namespace {

template <typename T>
void append(std::vector<uint8_t> & out, const T & value) {
    const auto * bytes = reinterpret_cast<const uint8_t *>(&value);
    out.insert(out.end(), bytes, bytes + sizeof(value));
}

}  // namespace

std::vector<uint8_t> make_archive(const std::vector<variant> & variants, const std::vector<std::vector<uint8_t>> & code) {
    std::vector<ggml_directx::archive_chunk> chunks;
    std::vector<uint8_t>                     entries;
    std::vector<uint8_t>                     data;
    for (size_t first = 0; first < variants.size();) {
        std::vector<uint8_t> unpacked;
        size_t               end = first;
        for (; end < variants.size() && variants[end].family == variants[first].family && variants[end].tier == variants[first].tier; ++end) {
            const variant & v = variants[end];
            append(entries, ggml_directx::archive_kernel{ uint32_t(chunks.size()), uint32_t(unpacked.size()), uint32_t(code[end].size()),
                                                          uint16_t(v.tier), uint16_t(v.name.size()) });
            entries.insert(entries.end(), v.name.begin(), v.name.end());
            unpacked.insert(unpacked.end(), code[end].begin(), code[end].end());
        }
        std::vector<uint8_t> packed(compressBound(uLong(unpacked.size())));
        uLongf               size = uLongf(packed.size());
        if (compress2(packed.data(), &size, unpacked.data(), uLong(unpacked.size()), Z_BEST_COMPRESSION) != Z_OK) {
            throw std::runtime_error("zlib failed");
        }
        // the offset is made absolute below
        chunks.push_back({ uint32_t(data.size()), uint32_t(size), uint32_t(unpacked.size()), uint32_t(crc32_z(0, unpacked.data(), unpacked.size())) });
        data.insert(data.end(), packed.begin(), packed.begin() + std::ptrdiff_t(size));
        first = end;
    }

    std::vector<uint8_t> index;
    const size_t         index_size = chunks.size() * sizeof(ggml_directx::archive_chunk) + entries.size();
    for (ggml_directx::archive_chunk c : chunks) {
        c.offset += uint32_t(sizeof(ggml_directx::archive_header) + index_size);
        append(index, c);
    }
    index.insert(index.end(), entries.begin(), entries.end());

    ggml_directx::archive_header header{};
    std::copy(std::begin(ggml_directx::archive_magic), std::end(ggml_directx::archive_magic), header.magic);
    header.version    = ggml_directx::archive_version;
    header.n_chunks   = uint32_t(chunks.size());
    header.n_kernels  = uint32_t(variants.size());
    header.index_size = uint32_t(index.size());
    header.index_crc  = uint32_t(crc32_z(0, index.data(), index.size()));
    header.total_size = uint32_t(sizeof(header) + index.size() + data.size());

    std::vector<uint8_t> archive;
    append(archive, header);
    archive.insert(archive.end(), index.begin(), index.end());
    archive.insert(archive.end(), data.begin(), data.end());
    return archive;
}

}  // namespace hlsl
