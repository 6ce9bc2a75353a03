#pragma once

// A real Direct3D 12 device for the tests: the first adapter, or the one that GGML_DIRECTX_TEST_ADAPTER counts.

#include "d3d12/device.h"
#include "d3d12/stream.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ggml_directx::d3d12 {

// Opens the device anew. Null, with a failed expectation, where there is none: these tests are for machines that have one.
std::unique_ptr<device> open_test_device();

class device_test : public ::testing::Test {
protected:
    static void SetUpTestSuite();
    static void TearDownTestSuite();

    void SetUp() override { ASSERT_TRUE(dev_) << "no Direct3D 12 device"; }

    device & dev() { return *dev_; }

    // A buffer that transfers reach through the GPU only, as on a card with memory of its own.
    std::unique_ptr<buffer> unmapped(uint64_t size);

    static std::vector<uint8_t> pattern(size_t size, uint32_t seed);
    static std::vector<uint8_t> read_all(stream & s, const buffer & b);

private:
    static std::unique_ptr<device> dev_;
};

// Adds `add` to each of `n` 32-bit words, with kernels/add_words.hlsl: dst[i] = src[i] + add.
class adder {
public:
    adder(device & dev, stream & s, uint32_t n, uint32_t add);

    // One dispatch; offsets in bytes, multiples of 256.
    void record(recording & r, const buffer & dst, const buffer & src, uint64_t dst_offset = 0, uint64_t src_offset = 0);

private:
    device &                dev_;
    std::unique_ptr<buffer> args_;
    uint32_t                n_;
};

}  // namespace ggml_directx::d3d12
