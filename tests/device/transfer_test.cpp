#include "device_fixture.h"

#include <cstring>

namespace ggml_directx::d3d12 {

using transfer = device_test;

TEST_F(transfer, BytesComeBackAtAnyOffsetAndSize) {
    stream s(dev());
    for (bool mapped : { false, true }) {
        auto b = mapped ? dev().allocate(100000, memory_kind::device) : unmapped(100000);
        for (uint64_t offset : { 0, 1, 2, 3, 255, 4096 }) {
            for (uint64_t size : { 1, 2, 3, 4, 5, 31, 256, 1000, 65537 }) {
                const auto           sent = pattern(size, uint32_t(offset * 31 + size));
                std::vector<uint8_t> got(size);
                s.upload(*b, offset, sent.data(), size);
                s.readback(*b, offset, got.data(), size);
                s.synchronize();
                ASSERT_EQ(sent, got) << "offset " << offset << ", size " << size << ", mapped " << mapped;
            }
        }
    }
}

TEST_F(transfer, NeighboursAreLeftAlone) {
    stream s(dev());
    auto   b        = unmapped(4096);
    auto   expected = pattern(4096, 1);
    s.upload(*b, 0, expected.data(), expected.size());
    const auto part = pattern(333, 2);
    s.upload(*b, 1001, part.data(), part.size());
    std::memcpy(expected.data() + 1001, part.data(), part.size());
    EXPECT_EQ(expected, read_all(s, *b));
}

TEST_F(transfer, TheSourceMayBeReusedOnReturn) {
    stream               s(dev());
    auto                 b = unmapped(1 << 20);
    std::vector<uint8_t> source(1024);
    for (int i = 0; i < 1024; ++i) {
        std::fill(source.begin(), source.end(), uint8_t(i * 7));
        s.upload(*b, uint64_t(i) * 1024, source.data(), source.size());
    }
    const auto got = read_all(s, *b);
    for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i], uint8_t(i / 1024 * 7)) << i;
    }
}

// More than the rings hold: pieces, waits and reuse of chunks.
TEST_F(transfer, MoreThanTheRingsHold) {
    stream                  s(dev());
    constexpr uint64_t      size = 150ull << 20;
    std::unique_ptr<buffer> b    = unmapped(size);
    const auto              sent = pattern(size, 3);
    s.upload(*b, 0, sent.data(), sent.size());
    const auto got = read_all(s, *b);
    EXPECT_TRUE(sent == got);
}

TEST_F(transfer, ManyReadbacksBeforeOneSynchronize) {
    stream                            s(dev());
    auto                              b    = unmapped(8 << 20);
    const auto                        sent = pattern(8 << 20, 4);
    std::vector<std::vector<uint8_t>> got;
    s.upload(*b, 0, sent.data(), sent.size());
    for (int i = 0; i < 300; ++i) {
        got.emplace_back(100000);
        s.readback(*b, uint64_t(i) * 20000, got.back().data(), got.back().size());
    }
    got.emplace_back(sent.size());
    s.readback(*b, 0, got.back().data(), got.back().size());
    s.synchronize();
    for (size_t i = 0; i < 300; ++i) {
        ASSERT_EQ(0, std::memcmp(got[i].data(), sent.data() + i * 20000, got[i].size())) << i;
    }
    EXPECT_TRUE(got.back() == sent);
}

TEST_F(transfer, RowsWithStrides) {
    stream s(dev());
    for (bool mapped : { false, true }) {
        for (uint64_t width : { 1, 7, 64, 1000, 300000 }) {
            const uint64_t rows = width > 100000 ? 70 : 300, device_stride = width + 13, host_stride = width + 5;
            auto           b        = mapped ? dev().allocate(rows * device_stride, memory_kind::device) : unmapped(rows * device_stride);
            auto           expected = pattern(b->size, 5);
            s.upload(*b, 0, expected.data(), expected.size());
            const auto sent = pattern(rows * host_stride, 6);
            s.upload_2d(*b, 0, sent.data(), width, rows, device_stride, host_stride);
            for (uint64_t r = 0; r < rows; ++r) {
                std::memcpy(expected.data() + r * device_stride, sent.data() + r * host_stride, width);
            }
            ASSERT_TRUE(expected == read_all(s, *b)) << width;

            std::vector<uint8_t> got(rows * host_stride, 0xee), wanted(rows * host_stride, 0xee);
            s.readback_2d(*b, 0, got.data(), width, rows, device_stride, host_stride);
            s.synchronize();
            for (uint64_t r = 0; r < rows; ++r) {
                std::memcpy(wanted.data() + r * host_stride, expected.data() + r * device_stride, width);
            }
            ASSERT_TRUE(wanted == got) << width;
        }
    }
}

TEST_F(transfer, RowsLargerThanAChunk) {
    stream             s(dev());
    constexpr uint64_t width = (20ull << 20) + 3, stride = width + 100;
    auto               b    = unmapped(2 * stride);
    const auto         sent = pattern(2 * width, 7);
    s.upload_2d(*b, 0, sent.data(), width, 2, stride, width);
    std::vector<uint8_t> got(2 * width);
    s.readback_2d(*b, 0, got.data(), width, 2, stride, width);
    s.synchronize();
    EXPECT_TRUE(sent == got);
}

TEST_F(transfer, FillAnyRange) {
    stream s(dev());
    for (bool mapped : { false, true }) {
        auto b        = mapped ? dev().allocate(5 << 20, memory_kind::device) : unmapped(5 << 20);
        auto expected = pattern(b->size, 8);
        s.upload(*b, 0, expected.data(), expected.size());
        const uint64_t ranges[][2] = { { 0, 1 }, { 3, 2 }, { 7, 5 }, { 4096, 4096 }, { 10001, 77777 }, { 1000003, 3500001 } };
        uint8_t        value       = 0x11;
        for (const auto & [offset, size] : ranges) {
            s.fill(*b, offset, size, value);
            std::memset(expected.data() + offset, value, size);
            value = uint8_t(value * 3);
        }
        EXPECT_TRUE(expected == read_all(s, *b)) << "mapped " << mapped;
    }
}

TEST_F(transfer, CopyBetweenBuffers) {
    stream     s(dev());
    auto       a = unmapped(1 << 20), b = unmapped(1 << 20);
    const auto bytes    = pattern(1 << 20, 9);
    auto       expected = pattern(1 << 20, 10);
    s.upload(*a, 0, bytes.data(), bytes.size());
    s.upload(*b, 0, expected.data(), expected.size());
    s.copy(*b, 777, *a, 12345, 500001);
    std::memcpy(expected.data() + 777, bytes.data() + 12345, 500001);
    EXPECT_TRUE(expected == read_all(s, *b));
}

TEST_F(transfer, CopyWithinABufferMayOverlap) {
    stream s(dev());
    for (auto [to, from] : { std::pair<uint64_t, uint64_t>{ 100, 50 }, { 50, 100 }, { 0, 2000000 }, { 500001, 500000 } }) {
        auto b        = unmapped(8 << 20);
        auto expected = pattern(b->size, 11);
        s.upload(*b, 0, expected.data(), expected.size());
        s.copy(*b, to, *b, from, 5000001);
        std::memmove(expected.data() + to, expected.data() + from, 5000001);
        EXPECT_TRUE(expected == read_all(s, *b)) << from << " to " << to;
    }
}

TEST_F(transfer, LeavingTheBufferIsRefused) {
    stream  s(dev());
    auto    b = dev().allocate(1000, memory_kind::device);  // 1024
    uint8_t bytes[64]{};
    EXPECT_THROW(s.upload(*b, 1000, bytes, 64), error);
    EXPECT_THROW(s.readback(*b, 2000, bytes, 1), error);
    EXPECT_THROW(s.readback(*b, UINT64_MAX, bytes, 2), error);
    EXPECT_THROW(s.fill(*b, 0, 1025, 0), error);
    EXPECT_THROW(s.upload_2d(*b, 0, bytes, 16, 3, 600, 16), error);
    EXPECT_NO_THROW(s.upload(*b, 1020, bytes, 4));
    s.synchronize();  // before the buffer goes
}

}  // namespace ggml_directx::d3d12
