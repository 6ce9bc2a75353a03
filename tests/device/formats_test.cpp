#include "device_fixture.h"

#include "kernels/rows_args.h"

#include "ggml.h"

#include <cmath>
#include <cstring>
#include <random>

namespace ggml_directx::d3d12 {

// Every format against ggml's own code, through the kernels that GET_ROWS and SET_ROWS use.
class formats : public device_test, public ::testing::WithParamInterface<ggml_type> {
protected:
    static constexpr uint32_t n = 4096;

    ggml_type   type() const { return GetParam(); }
    uint32_t    block_size() const { return uint32_t(ggml_blck_size(type())); }
    uint32_t    block_bytes() const { return uint32_t(ggml_type_size(type())); }
    std::string name() const { return ggml_type_name(type()); }

    std::vector<float> decoded(const uint8_t * rows) const {
        std::vector<float> v(n);
        ggml_get_type_traits(type())->to_float(rows, v.data(), n);
        return v;
    }

    void run(stream & s, const std::string & kernel_name, const void * args, size_t args_size,
             std::initializer_list<const buffer *> buffers, uint32_t groups) {
        const kernel * k = dev().library().find(dev().caps().active_tier, kernel_name);
        ASSERT_TRUE(k) << kernel_name;
        auto constants = dev().allocate(args_size, memory_kind::device);
        s.upload(*constants, 0, args, args_size);
        std::vector<uint64_t> addresses;
        for (const buffer * b : buffers) {
            addresses.push_back(b->address);
        }
        recording r(dev());
        r.bind(dev().pipeline(*k), addresses.data(), uint32_t(addresses.size()), constants->address);
        r.dispatch(groups, 1, 1);
        r.close();
        s.synchronize(s.submit(r));
    }
};

class formats_read : public formats {};
class formats_written : public formats {};

// Random bits are blocks of every kind; only those that decode to something finite are kept.
TEST_P(formats_read, AsGgmlReadsThem) {
    std::mt19937         random(1);
    std::vector<uint8_t> blocks(size_t(n / block_size()) * block_bytes());
    std::vector<float>   v(block_size());
    for (size_t at = 0; at < blocks.size(); at += block_bytes()) {
        bool finite = false;
        while (!finite) {
            for (uint32_t i = 0; i < block_bytes(); ++i) {
                blocks[at + i] = uint8_t(random());
            }
            ggml_get_type_traits(type())->to_float(&blocks[at], v.data(), block_size());
            finite = true;
            for (float x : v) {
                finite = finite && std::abs(x) < 1e30f;
            }
        }
    }
    const std::vector<float> expected = decoded(blocks.data());

    stream        s(dev());
    const auto    src = unmapped(blocks.size()), rows = unmapped(4), dst = unmapped(n * 4);
    const int32_t index = 0;
    s.upload(*src, 0, blocks.data(), blocks.size());
    s.upload(*rows, 0, &index, sizeof(index));

    args::get_rows_args a{};
    a.src.ne  = { n, 1, 1, 1 };
    a.rows.ne = { 1, 1, 1, 1 };
    a.dst.ne  = { n, 1, 1, 1 };
    a.chunks  = n / 8;
    a.n_rows  = 1;
    run(s, "get_rows." + name(), &a, sizeof(a), { src.get(), rows.get(), dst.get() }, n / 8 / 128);

    std::vector<float> got(n);
    s.readback(*dst, 0, got.data(), n * 4);
    s.synchronize();
    for (uint32_t first = 0; first < n; first += block_size()) {
        float most = 0.0f;
        for (uint32_t i = first; i < first + block_size(); ++i) {
            most = std::max(most, std::abs(expected[i]));
        }
        for (uint32_t i = first; i < first + block_size(); ++i) {
            // Where scale * q and an offset nearly cancel, a fused multiply-add shows; flushed denormals are no fault either.
            ASSERT_NEAR(expected[i], got[i], most * 1e-6f + 1e-37f) << "element " << i;
        }
    }
}

TEST_P(formats_written, AsGgmlWritesThem) {
    const auto from_float = ggml_get_type_traits(type())->from_float_ref;
    ASSERT_TRUE(from_float);
    std::mt19937                    random(2);
    std::normal_distribution<float> normal;
    std::vector<float>              values(n);
    for (uint32_t i = 0; i < n; ++i) {
        const uint32_t part = i / 256;
        values[i]           = part == 1 ? 0.0f : part == 2 ? 3.0f : normal(random) * (part == 3 ? 1e-6f : part == 4 ? 1e4f : 1.0f);
    }
    const uint32_t       n_blocks = n / block_size();
    std::vector<uint8_t> expected(size_t(n_blocks) * block_bytes());
    from_float(values.data(), expected.data(), n);

    // From every alignment that a block can have within a word, with bytes before and after that must stay.
    for (uint32_t skipped = 1; skipped <= 4; ++skipped) {
        stream               s(dev());
        const uint32_t       offset = skipped * block_bytes();
        std::vector<uint8_t> memory(offset + expected.size() + 64, 0xa5);
        const auto           src = unmapped(n * 4), dst = unmapped(memory.size());
        s.upload(*src, 0, values.data(), n * 4);
        s.upload(*dst, 0, memory.data(), memory.size());

        args::set_rows_args a{};
        a.src.ne     = { n, 1, 1, 1 };
        a.src.nb     = { 4, 0, 0, 0 };
        a.dst.ne     = { n_blocks, 1, 1, 1 };
        a.dst.nb     = { block_bytes(), 0, 0, 0 };
        a.dst.offset = offset;
        a.count      = n_blocks;
        a.runs       = 1;
        run(s, "set_rows.f32." + name(), &a, sizeof(a), { src.get(), src.get(), dst.get() }, (n_blocks + 63) / 64);
        s.readback(*dst, 0, memory.data(), memory.size());
        s.synchronize();

        for (uint32_t i = 0; i < memory.size(); ++i) {
            if (i < offset || i >= offset + expected.size()) {
                ASSERT_EQ(0xa5, memory[i]) << "byte " << i << " is not part of the row";
            }
        }
        const std::vector<float> want  = decoded(expected.data());
        const std::vector<float> got   = decoded(&memory[offset]);
        double                   error = 0.0;
        double                   power = 0.0;
        for (uint32_t i = 0; i < n; ++i) {
            error += double(want[i] - got[i]) * double(want[i] - got[i]);
            power += double(want[i]) * double(want[i]);
        }
        ASSERT_LE(error / power, 1e-7);
    }
}

namespace {

std::string type_name(const ::testing::TestParamInfo<ggml_type> & tested) {
    return ggml_type_name(tested.param);
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(all, formats_read,
                         ::testing::Values(GGML_TYPE_F16, GGML_TYPE_BF16, GGML_TYPE_Q4_0, GGML_TYPE_Q4_1, GGML_TYPE_Q5_0, GGML_TYPE_Q5_1,
                                           GGML_TYPE_Q8_0, GGML_TYPE_Q2_K, GGML_TYPE_Q3_K, GGML_TYPE_Q4_K, GGML_TYPE_Q5_K, GGML_TYPE_Q6_K,
                                           GGML_TYPE_Q1_0, GGML_TYPE_Q2_0, GGML_TYPE_TQ1_0, GGML_TYPE_TQ2_0, GGML_TYPE_MXFP4,
                                           GGML_TYPE_NVFP4, GGML_TYPE_IQ1_S, GGML_TYPE_IQ1_M, GGML_TYPE_IQ2_XXS, GGML_TYPE_IQ2_XS,
                                           GGML_TYPE_IQ2_S, GGML_TYPE_IQ3_XXS, GGML_TYPE_IQ3_S, GGML_TYPE_IQ4_NL, GGML_TYPE_IQ4_XS),
                         type_name);

// iq1_s to iq3_s are not here: ggml's CPU backend writes no rows of them either.
INSTANTIATE_TEST_SUITE_P(all, formats_written,
                         ::testing::Values(GGML_TYPE_Q4_0, GGML_TYPE_Q4_1, GGML_TYPE_Q5_0, GGML_TYPE_Q5_1, GGML_TYPE_Q8_0, GGML_TYPE_Q2_K,
                                           GGML_TYPE_Q3_K, GGML_TYPE_Q4_K, GGML_TYPE_Q5_K, GGML_TYPE_Q6_K, GGML_TYPE_Q1_0, GGML_TYPE_Q2_0,
                                           GGML_TYPE_TQ1_0, GGML_TYPE_TQ2_0, GGML_TYPE_MXFP4, GGML_TYPE_NVFP4, GGML_TYPE_IQ4_NL,
                                           GGML_TYPE_IQ4_XS),
                         type_name);

}  // namespace ggml_directx::d3d12
