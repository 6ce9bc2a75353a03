#include "archive.h"

#include "kernels/archive_format.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace hlsl {

namespace {

using ggml_directx::archive_chunk;
using ggml_directx::archive_header;
using ggml_directx::archive_kernel;

using bytes = std::vector<uint8_t>;

// A structure or a number, as it lies in memory.
template <typename T> void append_value(bytes & out, const T & value) {
    const size_t at = out.size();
    out.resize(at + sizeof(value));
    std::memcpy(out.data() + at, &value, sizeof(value));
}

void append_bytes(bytes & out, std::span<const uint8_t> more) {
    // not insert(): GCC 12 warns of an overrun inside it that is not there
    const size_t at = out.size();
    out.resize(at + more.size());
    std::copy(more.begin(), more.end(), out.begin() + std::ptrdiff_t(at));
}

uint32_t narrow(size_t n) {
    if (n > std::numeric_limits<uint32_t>::max()) {
        throw std::runtime_error("the kernel archive would exceed 4 GiB");
    }
    return uint32_t(n);
}

uint32_t crc_of(const bytes & data) {
    return uint32_t(crc32_z(0, data.data(), data.size()));
}

bytes deflate_all(const bytes & data) {
    bytes  packed(compressBound(uLong(data.size())));
    uLongf size = uLongf(packed.size());
    if (compress2(packed.data(), &size, data.data(), uLong(data.size()), Z_BEST_COMPRESSION) != Z_OK) {
        throw std::runtime_error("zlib cannot compress the kernels");
    }
    packed.resize(size);
    return packed;
}

// The structures of an object file, in the order of their members.
struct coff_file {
    uint16_t machine;
    uint16_t n_sections;
    uint32_t time;
    uint32_t symbols;
    uint32_t n_symbols;
    uint16_t optional_size;
    uint16_t flags;
};

struct coff_section {
    char     name[8];
    uint32_t virtual_size;
    uint32_t address;
    uint32_t data_size;
    uint32_t data;
    uint32_t relocations;
    uint32_t lines;
    uint16_t n_relocations;
    uint16_t n_lines;
    uint32_t flags;
};

static_assert(sizeof(coff_file) == 20 && sizeof(coff_section) == 40);

// 18 bytes, which no struct has without packing.
void append_symbol(bytes & out, uint32_t name_offset, uint32_t value) {
    append_value(out, uint32_t(0));  // the name stands in the string table
    append_value(out, name_offset);
    append_value(out, value);
    append_value(out, uint16_t(1));  // section
    append_value(out, uint16_t(0));  // type: data
    append_value(out, uint8_t(2));   // external
    append_value(out, uint8_t(0));   // no auxiliary records
}

}  // namespace

std::vector<uint8_t> make_archive(const std::vector<variant> & variants, const std::vector<std::span<const uint8_t>> & code) {
    std::vector<archive_chunk> chunks;
    bytes                      entries;
    bytes                      data;
    for (size_t first = 0; first < variants.size();) {
        bytes  unpacked;
        size_t i = first;
        for (; i < variants.size(); i++) {
            const variant & v = variants[i];
            if (v.family != variants[first].family || v.tier != variants[first].tier) {
                break;
            }
            append_value(entries, archive_kernel{ narrow(chunks.size()), narrow(unpacked.size()), narrow(code[i].size()), uint16_t(v.tier),
                                                  uint16_t(v.name.size()) });
            append_bytes(entries, std::span(reinterpret_cast<const uint8_t *>(v.name.data()), v.name.size()));
            append_bytes(unpacked, code[i]);
        }
        first = i;

        const bytes packed = deflate_all(unpacked);
        chunks.push_back({ narrow(data.size()), narrow(packed.size()), narrow(unpacked.size()), crc_of(unpacked) });
        append_bytes(data, packed);
    }

    const size_t data_offset = sizeof(archive_header) + chunks.size() * sizeof(archive_chunk) + entries.size();
    bytes        index;
    for (archive_chunk c : chunks) {
        c.offset = narrow(c.offset + data_offset);
        append_value(index, c);
    }
    append_bytes(index, entries);

    archive_header header = {};
    std::copy(std::begin(ggml_directx::archive_magic), std::end(ggml_directx::archive_magic), header.magic);
    header.version    = ggml_directx::archive_version;
    header.n_chunks   = narrow(chunks.size());
    header.n_kernels  = narrow(variants.size());
    header.index_size = narrow(index.size());
    header.index_crc  = crc_of(index);
    header.total_size = narrow(data_offset + data.size());

    bytes archive;
    append_value(archive, header);
    append_bytes(archive, index);
    append_bytes(archive, data);
    return archive;
}

std::vector<uint8_t> make_coff_object(std::span<const uint8_t> archive, const std::string & machine) {
    constexpr uint32_t read_only_data = 0x40000040 | 0x00500000;  // initialised, readable, aligned to 16 bytes

    coff_file file = {};
    if (machine == "x64") {
        file.machine = 0x8664;
    } else if (machine == "arm64") {
        file.machine = 0xaa64;
    } else {
        throw std::runtime_error("no object files for machine " + machine + " (x64, arm64)");
    }
    const uint32_t size = narrow(archive.size());
    const uint32_t data = sizeof(coff_file) + sizeof(coff_section);
    file.n_sections     = 1;
    file.symbols        = narrow(size_t(data) + size + 1);
    file.n_symbols      = 2;

    coff_section section = {};
    std::memcpy(section.name, ".rdata", 6);
    section.data_size = size + 1;  // the end symbol must lie inside the section
    section.data      = data;
    section.flags     = read_only_data;

    const std::string begin = "ggml_directx_kernels_begin";
    const std::string end   = "ggml_directx_kernels_end";

    bytes object;
    append_value(object, file);
    append_value(object, section);
    append_bytes(object, archive);
    append_value(object, uint8_t(0));
    append_symbol(object, 4, 0);
    append_symbol(object, 4 + uint32_t(begin.size()) + 1, size);
    append_value(object, uint32_t(4 + begin.size() + 1 + end.size() + 1));
    for (const std::string & name : { begin, end }) {
        append_bytes(object, std::span(reinterpret_cast<const uint8_t *>(name.c_str()), name.size() + 1));
    }
    return object;
}

}  // namespace hlsl
