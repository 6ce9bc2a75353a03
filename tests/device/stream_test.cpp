#include "device_fixture.h"

#include <cstring>
#include <numeric>
#include <thread>

namespace ggml_directx::d3d12 {

using streams = device_test;

namespace {

constexpr uint32_t n = 5000;

std::vector<uint32_t> words(stream & s, const buffer & b, uint32_t count = n) {
    std::vector<uint32_t> v(count);
    s.readback(b, 0, v.data(), count * 4);
    s.synchronize();
    return v;
}

std::vector<uint32_t> counting(uint32_t from, uint32_t count = n) {
    std::vector<uint32_t> v(count);
    std::iota(v.begin(), v.end(), from);
    return v;
}

}  // namespace

TEST_F(streams, ARecordingComputes) {
    stream     s(dev());
    auto       a = unmapped(n * 4), b = unmapped(n * 4);
    const auto numbers = counting(1000);
    s.upload(*a, 0, numbers.data(), n * 4);
    adder     add(dev(), s, n, 42);
    recording r(dev());
    add.record(r, *b, *a);
    r.close();
    s.submit(r);
    EXPECT_EQ(counting(1042), words(s, *b));
}

TEST_F(streams, AClosedRecordingIsSubmittedAgain) {
    stream     s(dev());
    auto       a       = dev().allocate(n * 4, memory_kind::device);
    const auto numbers = counting(0);
    s.upload(*a, 0, numbers.data(), n * 4);
    adder     add(dev(), s, n, 1);
    recording r(dev());
    add.record(r, *a, *a);
    r.close();
    for (int i = 0; i < 50; ++i) {
        s.synchronize(s.submit(r));
    }
    EXPECT_EQ(counting(50), words(s, *a));
}

TEST_F(streams, BarriersOrderDispatches) {
    stream     s(dev());
    auto       a = unmapped(n * 4), b = unmapped(n * 4);
    const auto numbers = counting(0);
    s.upload(*a, 0, numbers.data(), n * 4);
    adder     add(dev(), s, n, 3);
    recording r(dev());
    for (int i = 0; i < 100; ++i) {
        add.record(r, *b, *a);
        r.barrier();
        add.record(r, *a, *b);
        r.barrier();
    }
    r.close();
    s.submit(r);
    EXPECT_EQ(counting(600), words(s, *a));
}

TEST_F(streams, TransfersAndRecordingsHappenInOrder) {
    stream s(dev());
    for (bool mapped : { false, true }) {
        auto                                    a = mapped ? dev().allocate(n * 4, memory_kind::device) : unmapped(n * 4);
        adder                                   add(dev(), s, n, 7);
        std::vector<recording>                  none;
        std::vector<std::vector<uint32_t>>      got(20, std::vector<uint32_t>(n));
        std::vector<std::unique_ptr<recording>> recordings;
        for (uint32_t i = 0; i < 20; ++i) {
            const auto numbers = counting(i * 100);
            s.upload(*a, 0, numbers.data(), n * 4);
            recordings.push_back(std::make_unique<recording>(dev()));
            add.record(*recordings.back(), *a, *a);
            recordings.back()->close();
            s.submit(*recordings.back());
            s.readback(*a, 0, got[i].data(), n * 4);
            s.fill(*a, 0, n * 4, 0xff);
        }
        s.synchronize();
        for (uint32_t i = 0; i < 20; ++i) {
            ASSERT_EQ(counting(i * 100 + 7), got[i]) << i << ", mapped " << mapped;
        }
        EXPECT_EQ(std::vector<uint32_t>(n, 0xffffffffu), words(s, *a));
    }
}

TEST_F(streams, OneStreamWaitsForAnother) {
    stream first(dev()), second(dev());
    auto   a = unmapped(n * 4), b = unmapped(n * 4);
    adder  add(dev(), first, n, 1);
    first.synchronize();
    std::vector<std::unique_ptr<recording>> recordings;
    const auto                              record = [&](const buffer & to, const buffer & from) -> recording & {
        recordings.push_back(std::make_unique<recording>(dev()));
        add.record(*recordings.back(), to, from);
        recordings.back()->close();
        return *recordings.back();
    };
    const auto numbers = counting(0);
    first.upload(*a, 0, numbers.data(), n * 4);
    for (int i = 0; i < 20; ++i) {
        const sync_point there = first.submit(record(*b, *a));
        second.wait(there);
        first.wait(second.submit(record(*a, *b)));
    }
    EXPECT_EQ(counting(40), words(first, *a));
}

TEST_F(streams, PointsAreReached) {
    stream s(dev());
    auto   a = unmapped(1 << 20);
    EXPECT_TRUE(s.reached(sync_point{}));
    EXPECT_TRUE(s.reached(s.record()));  // nothing to wait for
    s.fill(*a, 0, a->size, 1);
    const sync_point p = s.record();
    s.synchronize(p);
    EXPECT_TRUE(s.reached(p));
    s.synchronize(p);
}

TEST_F(streams, ThreadsWithStreamsOfTheirOwn) {
    std::vector<std::thread>           threads;
    std::vector<std::vector<uint32_t>> got(3);
    for (uint32_t t = 0; t < got.size(); ++t) {
        threads.emplace_back([&, t] {
            stream     s(dev());
            auto       a       = dev().allocate(n * 4, memory_kind::device);
            const auto numbers = counting(t * 1000000);
            s.upload(*a, 0, numbers.data(), n * 4);
            adder     add(dev(), s, n, 2);
            recording r(dev());
            add.record(r, *a, *a);
            r.close();
            for (int i = 0; i < 20; ++i) {
                s.synchronize(s.submit(r));
            }
            got[t] = words(s, *a);
        });
    }
    for (std::thread & t : threads) {
        t.join();
    }
    for (uint32_t t = 0; t < got.size(); ++t) {
        EXPECT_EQ(counting(t * 1000000 + 40), got[t]);
    }
}

TEST_F(streams, SeveralBindingsOfOneBuffer) {
    stream     s(dev());
    auto       a       = unmapped(256 * 1024);
    const auto numbers = counting(0, 64);
    s.upload(*a, 0, numbers.data(), 256);
    adder     add(dev(), s, 64, 1);
    recording r(dev());
    for (uint64_t i = 0; i + 1 < 1024; ++i) {
        add.record(r, *a, *a, (i + 1) * 256, i * 256);
        r.barrier();
    }
    r.close();
    s.submit(r);
    std::vector<uint32_t> last(64);
    s.readback(*a, 1023 * 256, last.data(), 256);
    s.synchronize();
    EXPECT_EQ(counting(1023, 64), last);
}

}  // namespace ggml_directx::d3d12
