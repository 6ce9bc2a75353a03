// Before a device is offered, one kernel that touches what all of them rely on: a driver that gets this wrong would get
// everything wrong, in silence.

#include "d3d12/device.h"
#include "fault.h"
#include "d3d12/stream.h"

#include "ggml.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace ggml_directx::d3d12 {

namespace {

// As in kernels/self_test.hlsl
constexpr uint32_t group_size = 64;
constexpr uint32_t n_groups   = 4;
constexpr uint32_t n_words    = group_size * n_groups;

struct self_test_args {
    uint32_t offset;
    float    scale;
    uint32_t unused[2];
};

constexpr self_test_args arguments = { 64, 0.3337f, {} };

// Small numbers, so that the sum of a group is exact in any order.
std::vector<uint32_t> inputs() {
    std::vector<uint32_t> v(n_words);
    for (uint32_t i = 0; i < n_words; ++i) {
        v[i] = (i * 37 + 11) % 251;
    }
    return v;
}

std::vector<float> expected(const std::vector<uint32_t> & v) {
    std::vector<float> result(n_words);
    for (uint32_t g = 0; g < n_groups; ++g) {
        float    sum = 0.0f;
        uint32_t top = 0;
        for (uint32_t i = 0; i < group_size; ++i) {
            sum += float(v[g * group_size + i]);
            top = std::max(top, v[g * group_size + i]);
        }
        for (uint32_t i = 0; i < group_size; ++i) {
            const uint32_t x           = v[g * group_size + i];
            const float    half        = ggml_fp16_to_fp32(ggml_fp32_to_fp16(float(x) * arguments.scale));
            result[g * group_size + i] = sum + float(top) * 0.5f + half + float((x * 2654435761u) >> 24);
        }
    }
    return result;
}

// The compiler may add in another order: a few roundings of sums below 32,768, but less than a wrong half.
constexpr float tolerance = 0.01f;

}  // namespace

std::string device::self_test() {
    if (fault_wanted("self-test")) {
        return "it fails because GGML_DIRECTX_FAULT=self-test asks for it";
    }
    const kernel * k = library_.find(caps_.active_tier, "self_test");
    if (!k) {
        return "there is no self-test kernel for tier " + std::string(tier_name(caps_.active_tier));
    }
    const std::vector<uint32_t> words = inputs();
    std::vector<float>          got(n_words, -1.0f);
    injecting_ = false;
    try {
        stream         s(*this);
        const uint64_t size = arguments.offset + n_words * 4;
        auto           src = allocate(size, memory_kind::device), dst = allocate(size, memory_kind::device),
             args = allocate(256, memory_kind::device);
        s.upload(*args, 0, &arguments, sizeof(arguments));
        s.upload(*src, arguments.offset, words.data(), n_words * 4);
        s.fill(*dst, 0, size, 0xff);
        const uint64_t addresses[] = { src->address, dst->address };
        recording      r(*this);
        r.bind(pipeline(*k), addresses, 2, args->address);
        r.dispatch(n_groups, 1, 1);
        r.close();
        s.submit(r);
        s.readback(*dst, arguments.offset, got.data(), n_words * 4);
        s.synchronize();
    } catch (const std::exception & e) {
        injecting_ = true;
        return e.what();
    }
    injecting_ = true;

    const std::vector<float> wanted = expected(words);
    for (uint32_t i = 0; i < n_words; ++i) {
        if (!(std::fabs(got[i] - wanted[i]) < tolerance)) {
            char text[128];
            std::snprintf(text, sizeof(text), "thread %u computed %g where %g is right", i, double(got[i]), double(wanted[i]));
            return text;
        }
    }
    return {};
}

}  // namespace ggml_directx::d3d12
