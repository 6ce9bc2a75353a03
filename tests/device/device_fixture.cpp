#include "device_fixture.h"

#include <cstdlib>
#include <random>

namespace ggml_directx::d3d12 {

std::unique_ptr<device> open_test_device() {
    std::string why;
    auto        rt = load_runtime(why);
    EXPECT_TRUE(rt) << why;
    if (!rt) {
        return nullptr;
    }
    const std::vector<adapter> adapters = enumerate_adapters(*rt);
    const char *               wanted   = std::getenv("GGML_DIRECTX_TEST_ADAPTER");
    const size_t               index    = wanted ? size_t(std::atoi(wanted)) : 0;
    EXPECT_LT(index, adapters.size());
    return index < adapters.size() ? std::make_unique<device>(rt, adapters[index], kernel_library::embedded()) : nullptr;
}

std::unique_ptr<device> device_test::dev_;

void device_test::SetUpTestSuite() {
    dev_ = open_test_device();
}

void device_test::TearDownTestSuite() {
    dev_.reset();
}

std::unique_ptr<buffer> device_test::unmapped(uint64_t size) {
    auto b = dev().allocate(size, memory_kind::device);
    if (b->mapped) {
        b->resource->Unmap(0, nullptr);
        b->mapped = nullptr;
    }
    return b;
}

std::vector<uint8_t> device_test::pattern(size_t size, uint32_t seed) {
    std::vector<uint8_t> bytes(size);
    std::minstd_rand     random(seed + 1);
    for (uint8_t & b : bytes) {
        b = uint8_t(random() >> 8);
    }
    return bytes;
}

std::vector<uint8_t> device_test::read_all(stream & s, const buffer & b) {
    std::vector<uint8_t> bytes(b.size);
    s.readback(b, 0, bytes.data(), bytes.size());
    s.synchronize();
    return bytes;
}

adder::adder(device & dev, stream & s, uint32_t n, uint32_t add) : dev_(dev), args_(dev.allocate(256, memory_kind::device)), n_(n) {
    const uint32_t args[4] = { n, add, 0, 0 };
    s.upload(*args_, 0, args, sizeof(args));
}

void adder::record(recording & r, const buffer & dst, const buffer & src, uint64_t dst_offset, uint64_t src_offset) {
    const kernel * k = dev_.library().find(dev_.caps().active_tier, "add_words");
    ASSERT_TRUE(k);
    const uint64_t addresses[] = { src.address + src_offset, dst.address + dst_offset };
    r.bind(dev_.pipeline(*k), addresses, 2, args_->address);
    r.dispatch((n_ + 63) / 64, 1, 1);
}

}  // namespace ggml_directx::d3d12
