#include "kernels/library.h"

#include "environment.h"
#include "kernels/archive_format.h"

#include <zlib.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>
#include <vector>

// cmake/shaders.cmake: the archive, between these two.
extern "C" const unsigned char ggml_directx_kernels_begin[];
extern "C" const unsigned char ggml_directx_kernels_end[];

namespace ggml_directx {

namespace {

// Deflate cannot do better; a claim beyond it must not make us allocate gigabytes.
constexpr uint32_t max_deflate_ratio = 1032;

[[noreturn]] void damaged(const std::string & what) {
    throw std::runtime_error("the kernel archive is damaged: " + what);
}

template <typename T> T take(std::span<const uint8_t> & bytes) {
    T value;
    if (bytes.size() < sizeof(value)) {
        damaged("it ends early");
    }
    std::memcpy(&value, bytes.data(), sizeof(value));
    bytes = bytes.subspan(sizeof(value));
    return value;
}

uint32_t crc_of(std::span<const uint8_t> bytes) {
    return uint32_t(crc32_z(0, bytes.data(), bytes.size()));
}

std::vector<uint8_t> read_file(const std::string & path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error("it cannot be opened");
    }
    return { std::istreambuf_iterator<char>(file), {} };
}

// Which archive is at fault, and what to do about it, is known only where it came from.
template <typename F> std::unique_ptr<const kernel_library> load(F && make, const std::string & before, const std::string & after) {
    try {
        return make();
    } catch (const std::runtime_error & e) {
        throw std::runtime_error(before + e.what() + after);
    }
}

}  // namespace

struct kernel_library::impl {
    struct chunk {
        archive_chunk        where{};
        std::vector<uint8_t> unpacked;  // empty until needed
    };

    struct place {
        uint32_t chunk  = 0;
        uint32_t offset = 0;
        uint32_t size   = 0;
    };

    std::span<const uint8_t>                   archive;
    std::vector<kernel>                        kernels;
    std::vector<place>                         places;  // by kernel::index
    std::vector<chunk>                         chunks;
    std::map<std::string, size_t, std::less<>> by_name[3];  // by tier
    std::mutex                                 mutex;       // guards unpacking
};

kernel_library::kernel_library(std::span<const uint8_t> archive) : impl_(std::make_unique<impl>()) {
    impl_->archive = archive;

    std::span<const uint8_t> rest   = archive;
    const auto               header = take<archive_header>(rest);
    if (std::memcmp(header.magic, archive_magic, sizeof(archive_magic)) != 0) {
        damaged("it does not begin like one");
    }
    if (header.version != archive_version) {
        throw std::runtime_error("the kernel archive has version " + std::to_string(header.version) + ", but this plug-in reads version " +
                                 std::to_string(archive_version));
    }
    if (header.total_size != archive.size() || header.index_size > rest.size()) {
        damaged("it has " + std::to_string(archive.size()) + " bytes and should have " + std::to_string(header.total_size));
    }
    std::span<const uint8_t> index = rest.first(header.index_size);
    if (crc_of(index) != header.index_crc) {
        damaged("the checksum of its index is wrong");
    }
    for (uint32_t i = 0; i < header.n_chunks; ++i) {
        const auto c = take<archive_chunk>(index);
        if (c.offset > archive.size() || c.packed_size > archive.size() - c.offset) {
            damaged("a chunk lies outside it");
        }
        if (c.size / max_deflate_ratio > c.packed_size) {
            damaged("a chunk claims more than it can hold");
        }
        impl_->chunks.push_back({ c, {} });
    }
    for (uint32_t i = 0; i < header.n_kernels; ++i) {
        const auto k = take<archive_kernel>(index);
        if (k.name_size > index.size() || k.tier > 2 || k.chunk >= impl_->chunks.size() || k.offset > impl_->chunks[k.chunk].where.size ||
            k.size > impl_->chunks[k.chunk].where.size - k.offset) {
            damaged("entry " + std::to_string(i) + " of its index makes no sense");
        }
        std::string name(reinterpret_cast<const char *>(index.data()), k.name_size);
        index = index.subspan(k.name_size);
        if (!impl_->by_name[k.tier].emplace(name, impl_->kernels.size()).second) {
            damaged(name + " is in its index twice");
        }
        impl_->kernels.push_back({ std::move(name), d3d12::tier(k.tier), i });
        impl_->places.push_back({ k.chunk, k.offset, k.size });
    }
    if (!index.empty()) {
        damaged("its index holds more than its header says");
    }
}

kernel_library::~kernel_library() = default;

const kernel_library & kernel_library::embedded() {
    const std::string & path = env().kernels;
    if (!path.empty()) {
        static std::vector<uint8_t> file;  // outlives the library
        static const auto           library = load(
            [&] {
                file = read_file(path);
                return std::make_unique<const kernel_library>(file);
            },
            "GGML_DIRECTX_KERNELS=" + path + ": ", "");
        return *library;
    }
    static const auto library =
        load([] { return std::make_unique<const kernel_library>(std::span(ggml_directx_kernels_begin, ggml_directx_kernels_end)); }, "",
             "; rebuild or reinstall the plug-in");
    return *library;
}

const kernel * kernel_library::find(d3d12::tier level, std::string_view name) const {
    const auto & names = impl_->by_name[size_t(level)];
    const auto   found = names.find(name);
    return found == names.end() ? nullptr : &impl_->kernels[found->second];
}

size_t kernel_library::size() const {
    return impl_->kernels.size();
}

const kernel & kernel_library::at(size_t index) const {
    return impl_->kernels.at(index);
}

std::span<const uint8_t> kernel_library::code(const kernel & k) const {
    const impl::place & place = impl_->places.at(k.index);
    impl::chunk &       chunk = impl_->chunks[place.chunk];
    std::lock_guard     lock(impl_->mutex);
    if (chunk.unpacked.empty()) {
        std::vector<uint8_t> bytes(chunk.where.size);
        uLongf               size   = bytes.size();
        const auto           packed = impl_->archive.subspan(chunk.where.offset, chunk.where.packed_size);
        if (uncompress(bytes.data(), &size, packed.data(), uLong(packed.size())) != Z_OK || size != bytes.size()) {
            damaged("the code of " + k.name + " cannot be unpacked");
        }
        if (crc_of(bytes) != chunk.where.crc) {
            damaged("the checksum of the code of " + k.name + " is wrong");
        }
        chunk.unpacked = std::move(bytes);
    }
    return std::span(chunk.unpacked).subspan(place.offset, place.size);
}

}  // namespace ggml_directx
