#include "device_fixture.h"

#include "d3d12/platform/runtime.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace ggml_directx::d3d12 {

using devices = device_test;

TEST_F(devices, TheRuntimeAndItsAdapters) {
    std::string why;
    auto        rt = load_runtime(why);
    ASSERT_TRUE(rt) << why;
    EXPECT_FALSE(rt->name().empty());
    const auto         adapters = enumerate_adapters(*rt);
    std::set<uint64_t> luids;
    for (const adapter & a : adapters) {
        EXPECT_FALSE(a.name.empty());
        EXPECT_TRUE(a.luid == 0 || luids.insert(a.luid).second) << a.name << " is listed twice";
    }
    for (size_t i = 1; i < adapters.size(); ++i) {
        EXPECT_LE(adapters[i - 1].type, adapters[i].type);
    }
}

TEST_F(devices, CapabilitiesAreConsistent) {
    const capabilities & c = dev().caps();
    EXPECT_GE(c.shader_model, 0x51u);
    EXPECT_LE(c.active_tier, c.best_tier);
    EXPECT_TRUE(c.best_tier == tier::sm51 || c.wave_ops);
    EXPECT_TRUE(!c.wave_ops || (c.wave_min >= 1 && c.wave_min <= c.wave_max && c.wave_max <= 128));
    EXPECT_TRUE(c.uma || !c.cache_coherent_uma);
    EXPECT_GE(c.max_buffer_bytes, 128ull << 20);
    EXPECT_LT(c.max_span, 1ull << 32);
}

TEST_F(devices, TheSelfTestPasses) {
    EXPECT_EQ("", dev().self_test());
}

TEST_F(devices, BuffersAreAlignedAndCounted) {
    const uint64_t before = dev().allocated();
    {
        auto a = dev().allocate(1, memory_kind::device), b = dev().allocate(257, memory_kind::device),
             h = dev().allocate(1000, memory_kind::host);
        EXPECT_EQ(a->size, 256u);
        EXPECT_EQ(b->size, 512u);
        EXPECT_EQ(a->address % 256, 0u);
        EXPECT_EQ(b->address % 256, 0u);
        EXPECT_NE(a->uid, b->uid);
        EXPECT_TRUE(h->mapped);
        EXPECT_EQ(dev().allocated(), before + 768);
        EXPECT_EQ(bool(a->mapped), dev().caps().cache_coherent_uma);
    }
    EXPECT_EQ(dev().allocated(), before);
}

TEST_F(devices, TooMuchMemoryIsRefused) {
    try {
        dev().allocate(dev().caps().max_buffer_bytes + 1, memory_kind::device);
        FAIL() << "allocated more than the largest buffer";
    } catch (const error & e) {
        EXPECT_EQ(e.hr(), E_OUTOFMEMORY);
        EXPECT_NE(std::string(e.what()).find(dev().info().name), std::string::npos) << e.what();
    }
}

// The limit that is reported is one that shaders can really reach.
TEST_F(devices, TheLastWordOfTheLargestBuffer) {
    const uint64_t size = std::min(dev().caps().max_buffer_bytes, dev().caps().max_span) / 256 * 256;
    const auto     free = dev().budget();
    if (free.budget != 0 && free.budget - free.usage < size + (256u << 20)) {
        GTEST_SKIP() << "too little memory for a buffer of " << size << " bytes";
    }
    stream                  s(dev());
    std::unique_ptr<buffer> b      = unmapped(size);
    auto                    a      = unmapped(256);
    const uint32_t          number = 1234;
    s.upload(*a, 0, &number, 4);
    const uint32_t args[4]     = { 1, 1, 0, uint32_t(size - 4) };
    auto           args_memory = dev().allocate(256, memory_kind::device);
    s.upload(*args_memory, 0, args, sizeof(args));
    const kernel * k = dev().library().find(dev().caps().active_tier, "add_words");
    ASSERT_TRUE(k);
    recording      r(dev());
    const uint64_t addresses[] = { a->address, b->address };
    r.bind(dev().pipeline(*k), addresses, 2, args_memory->address);
    r.dispatch(1, 1, 1);
    r.close();
    s.submit(r);
    uint32_t last = 0;
    s.readback(*b, size - 4, &last, 4);
    s.synchronize();
    EXPECT_EQ(last, 1235u);
}

TEST(device_life, NothingIsLeftBehind) {
    const int64_t before = device::live_objects();
    {
        auto dev = open_test_device();
        ASSERT_TRUE(dev);
        stream    s(*dev);
        auto      a = dev->allocate(4096, memory_kind::device), b = dev->allocate(4096, memory_kind::device);
        adder     add(*dev, s, 1024, 1);
        recording r(*dev);
        add.record(r, *b, *a);
        r.close();
        s.submit(r);
        s.copy(*b, 1, *b, 0, 1000);
        s.synchronize();
        EXPECT_EQ("", dev->self_test());
        EXPECT_GT(device::live_objects(), before + 8);
    }
    EXPECT_EQ(device::live_objects(), before);
}

TEST(device_life, TheDeviceItselfIsFreed) {
    ID3D12Device * device_left = nullptr;
    {
        auto dev = open_test_device();
        ASSERT_TRUE(dev);
        { stream s(*dev); }
        device_left = dev->handle();
        device_left->AddRef();
    }
    // Only the reference taken here is left. (Windows shares one device per adapter and process.)
    const ULONG left = device_left->Release();
#if !defined(_WIN32)
    EXPECT_EQ(left, 0u);
#else
    (void)left;
#endif
}

}  // namespace ggml_directx::d3d12
