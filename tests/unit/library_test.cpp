#include "kernels/library.h"

#include "kernels/archive_format.h"

#include "hlsl/archive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

using ggml_directx::archive_header;
using ggml_directx::kernel;
using ggml_directx::kernel_library;
using ggml_directx::d3d12::tier;

namespace {

using bytes = std::vector<uint8_t>;

struct sample {
    std::vector<hlsl::variant> variants;
    std::vector<bytes>         code;
    bytes                      archive;
};

// Families of several sizes over all tiers, with code that compresses and code that does not.
sample make_sample() {
    sample       s;
    std::mt19937 random(1);
    for (int t = 0; t < 3; t++) {
        for (const char * family : { "add", "mul_mat", "one" }) {
            const int n = family[0] == 'o' ? 1 : 7;
            for (int i = 0; i < n; i++) {
                hlsl::variant v;
                v.family = family;
                v.name   = v.family + ".v" + std::to_string(i);
                v.tier   = t;
                s.variants.push_back(v);
                bytes code(size_t(100 + random() % 3000));
                for (uint8_t & b : code) {
                    b = uint8_t(i % 2 ? random() : 17u * unsigned(t));
                }
                s.code.push_back(code);
            }
        }
    }
    s.archive = hlsl::make_archive(s.variants, { s.code.begin(), s.code.end() });
    return s;
}

std::string failure(const std::function<void()> & f) {
    try {
        f();
    } catch (const std::runtime_error & e) {
        return e.what();
    }
    return {};
}

// Opens the archive and reads every kernel; the message of what went wrong.
std::string read_all(const bytes & archive) {
    return failure([&] {
        const kernel_library library(archive);
        for (size_t i = 0; i < library.size(); i++) {
            library.code(library.at(i));
        }
    });
}

}  // namespace

TEST(kernel_library, finds_what_was_archived) {
    const sample         s = make_sample();
    const kernel_library library(s.archive);
    ASSERT_EQ(library.size(), s.variants.size());
    std::set<uint32_t> indices;
    for (size_t i = 0; i < s.variants.size(); i++) {
        const kernel * k = library.find(tier(s.variants[i].tier), s.variants[i].name);
        ASSERT_NE(k, nullptr) << s.variants[i].name;
        EXPECT_EQ(k->name, s.variants[i].name);
        EXPECT_EQ(k->level, tier(s.variants[i].tier));
        EXPECT_EQ(&library.at(k->index), k);
        indices.insert(k->index);
        const auto code = library.code(*k);
        EXPECT_TRUE(std::equal(code.begin(), code.end(), s.code[i].begin(), s.code[i].end())) << k->name;
    }
    EXPECT_EQ(indices.size(), s.variants.size());
    EXPECT_EQ(*indices.rbegin(), s.variants.size() - 1);
    EXPECT_EQ(library.find(tier::sm51, "add"), nullptr);
    EXPECT_EQ(library.find(tier::sm51, "add.v7"), nullptr);
    EXPECT_EQ(library.find(tier::sm51, ""), nullptr);
}

TEST(kernel_library, an_archive_may_be_empty) {
    const bytes archive = hlsl::make_archive({}, {});
    EXPECT_EQ(kernel_library(archive).size(), 0u);
}

TEST(kernel_library, threads_read_it_together) {
    const sample             s = make_sample();
    const kernel_library     library(s.archive);
    std::vector<int>         wrong(8);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < wrong.size(); t++) {
        threads.emplace_back([&, t] {
            for (size_t i = 0; i < s.variants.size(); i++) {
                const size_t   j    = (i * (2 * t + 1)) % s.variants.size();
                const kernel * k    = library.find(tier(s.variants[j].tier), s.variants[j].name);
                const auto     code = library.code(*k);
                wrong[t] += !std::equal(code.begin(), code.end(), s.code[j].begin(), s.code[j].end());
            }
        });
    }
    for (std::thread & t : threads) {
        t.join();
    }
    EXPECT_EQ(wrong, std::vector<int>(8));
}

TEST(kernel_library, says_what_is_wrong) {
    const sample s = make_sample();

    bytes foreign = s.archive;
    foreign[0] ^= 1;
    EXPECT_NE(read_all(foreign).find("does not begin like one"), std::string::npos) << read_all(foreign);

    bytes          newer = s.archive;
    archive_header header;
    std::memcpy(&header, newer.data(), sizeof(header));
    header.version = 77;
    std::memcpy(newer.data(), &header, sizeof(header));
    EXPECT_NE(read_all(newer).find("version 77"), std::string::npos) << read_all(newer);

    const bytes half(s.archive.begin(), s.archive.begin() + std::ptrdiff_t(s.archive.size() / 2));
    EXPECT_NE(read_all(half).find("bytes and should have"), std::string::npos) << read_all(half);

    bytes index = s.archive;
    index[sizeof(archive_header) + 3] ^= 1;
    EXPECT_NE(read_all(index).find("checksum of its index"), std::string::npos) << read_all(index);

    bytes code = s.archive;
    code.back() ^= 1;
    EXPECT_NE(read_all(code).find("one.v0"), std::string::npos) << read_all(code);
}

TEST(kernel_library, every_truncation_is_noticed) {
    const sample s = make_sample();
    for (size_t n = 0; n < s.archive.size(); n += n < 200 ? 1 : 97) {
        EXPECT_NE(read_all(bytes(s.archive.begin(), s.archive.begin() + std::ptrdiff_t(n))), "") << n;
    }
    bytes longer = s.archive;
    longer.push_back(0);
    EXPECT_NE(read_all(longer), "");
}

TEST(kernel_library, every_changed_byte_is_noticed) {
    const sample s = make_sample();
    std::mt19937 random(2);
    for (size_t i = 0; i < s.archive.size(); i += i < 1500 ? 1 : 41) {
        bytes damaged = s.archive;
        damaged[i] ^= uint8_t(1u << random() % 8);
        EXPECT_NE(read_all(damaged), "") << "byte " << i;
    }
}

// An index whose checksum is right but whose content is not: made by a faulty or hostile writer.
TEST(kernel_library, an_index_that_lies_is_refused) {
    const sample s = make_sample();
    std::mt19937 random(3);
    for (int i = 0; i < 1000; i++) {
        bytes          lying = s.archive;
        archive_header header;
        std::memcpy(&header, lying.data(), sizeof(header));
        lying[sizeof(header) + random() % header.index_size] = uint8_t(random());
        // The CRC-32 of zip files, bit by bit
        uint32_t crc = ~0u;
        for (size_t j = 0; j < header.index_size; j++) {
            crc ^= lying[sizeof(header) + j];
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
            }
        }
        header.index_crc = ~crc;
        std::memcpy(lying.data(), &header, sizeof(header));
        // A changed name is fine; anything else must be an answer, and no gigabytes on the way to it.
        try {
            const kernel_library library(lying);
            for (size_t k = 0; k < library.size(); k++) {
                const auto code = library.code(library.at(k));
                ASSERT_LE(code.size(), size_t(1) << 20);
            }
        } catch (const std::exception &) {}
    }
}

TEST(kernel_library, the_embedded_kernels_are_whole) {
    const kernel_library & library = kernel_library::embedded();
    ASSERT_GT(library.size(), 0u);
    for (tier t : { tier::sm51, tier::sm60, tier::sm66 }) {
        EXPECT_NE(library.find(t, "self_test"), nullptr);
    }
    for (size_t i = 0; i < library.size(); i++) {
        const kernel & k    = library.at(i);
        const auto     code = library.code(k);
        ASSERT_GT(code.size(), 32u) << k.name;
        // Both kinds are DXBC containers: magic, then a signature without which Windows takes no shader, then the size.
        EXPECT_EQ(std::memcmp(code.data(), "DXBC", 4), 0) << k.name;
        EXPECT_TRUE(std::any_of(code.begin() + 4, code.begin() + 20, [](uint8_t b) { return b != 0; })) << k.name;
        uint32_t size = 0;
        std::memcpy(&size, code.data() + 24, 4);
        EXPECT_EQ(size, code.size()) << k.name;
        // DXIL stands in a part of that name, bytecode for older drivers in SHEX
        const std::string_view text(reinterpret_cast<const char *>(code.data()), code.size());
        EXPECT_NE(text.find(k.level == tier::sm51 ? "SHEX" : "DXIL"), std::string_view::npos) << k.name;
    }
}
