#include "environment.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

using ggml_directx::complain_about_unknown;
using ggml_directx::environment;
using ggml_directx::parse_environment;
using ggml_directx::d3d12::tier;

namespace {

std::map<std::string, std::string> variables;

const char * lookup(const char * name) {
    const auto it = variables.find(name);
    return it == variables.end() ? nullptr : it->second.c_str();
}

// With one variable set, named without the prefix.
environment with(const std::string & name, const std::string & value) {
    variables = { { "GGML_DIRECTX_" + name, value } };
    return parse_environment(lookup);
}

// A refused value leaves the default, and its complaint names variable and value.
void expect_refused(const std::string & name, const std::string & value) {
    const environment e = with(name, value);
    ASSERT_EQ(e.complaints.size(), 1u) << name << "=" << value;
    EXPECT_NE(e.complaints[0].find("GGML_DIRECTX_" + name + "=" + value), std::string::npos) << e.complaints[0];
    const environment d;
    EXPECT_EQ(e.tier, d.tier);
    EXPECT_EQ(e.software, d.software);
    EXPECT_EQ(e.debug, d.debug);
    EXPECT_EQ(e.profile, d.profile);
    EXPECT_EQ(e.memory_limit, d.memory_limit);
    EXPECT_EQ(e.devices, d.devices);
    EXPECT_EQ(e.ort, d.ort);
    EXPECT_EQ(e.ort_eps.size(), d.ort_eps.size());
    EXPECT_EQ(e.ort_weights, d.ort_weights);
    EXPECT_EQ(e.ort_threads, d.ort_threads);
    EXPECT_EQ(e.ort_static, d.ort_static);
    EXPECT_EQ(e.fault, d.fault);
}

}  // namespace

TEST(environment, nothing_set) {
    variables.clear();
    const environment e = parse_environment(lookup);
    EXPECT_FALSE(e.tier.has_value());
    EXPECT_FALSE(e.software);
    EXPECT_FALSE(e.reverse);
    EXPECT_TRUE(e.d3d12.empty());
    EXPECT_TRUE(e.kernels.empty());
    EXPECT_FALSE(e.debug);
    EXPECT_FALSE(e.profile);
    EXPECT_EQ(e.memory_limit, 0u);
    EXPECT_TRUE(e.devices.empty());
    EXPECT_TRUE(e.fault.empty());
    EXPECT_TRUE(e.complaints.empty());
}

TEST(environment, accepted_values) {
    EXPECT_EQ(with("TIER", "sm51").tier, tier::sm51);
    EXPECT_EQ(with("TIER", "sm60").tier, tier::sm60);
    EXPECT_EQ(with("TIER", "sm66").tier, tier::sm66);
    EXPECT_TRUE(with("SOFTWARE", "1").software);
    EXPECT_FALSE(with("SOFTWARE", "0").software);
    EXPECT_TRUE(with("REVERSE", "1").reverse);
    EXPECT_TRUE(with("DEBUG", "1").debug);
    EXPECT_TRUE(with("PROFILE", "1").profile);
    EXPECT_EQ(with("D3D12", "/a b/libd3d12.so").d3d12, "/a b/libd3d12.so");
    EXPECT_EQ(with("KERNELS", "kernels.bin").kernels, "kernels.bin");
    EXPECT_EQ(with("MEMORY_LIMIT", "4096").memory_limit, uint64_t(4) << 30);
    EXPECT_EQ(with("MEMORY_LIMIT", "17592186044415").memory_limit, uint64_t(17592186044415) << 20);
    EXPECT_EQ(with("DEVICES", "0").devices, (std::vector<uint32_t>{ 0 }));
    EXPECT_EQ(with("DEVICES", "2,0,11").devices, (std::vector<uint32_t>{ 2, 0, 11 }));
    for (const char * fault : { "no-runtime", "self-test", "no-fallback", "removed@1", "out-of-memory@12", "session@1", "run@3" }) {
        EXPECT_EQ(with("FAULT", fault).fault, fault);
        EXPECT_TRUE(with("FAULT", fault).complaints.empty());
    }
}

TEST(environment, onnx_runtime) {
    EXPECT_EQ(with("ORT", "npu,WebGPU").ort, (std::vector<std::string>{ "npu", "WebGPU" }));
    EXPECT_EQ(with("ONNXRUNTIME", "/opt/ort.so").onnxruntime, "/opt/ort.so");
    EXPECT_EQ(with("ORT_WEIGHTS", "compact").ort_weights, ggml_directx::weight_policy::compact);
    EXPECT_EQ(with("ORT_WEIGHTS", "f16").ort_weights, ggml_directx::weight_policy::f16);
    EXPECT_EQ(with("ORT_THREADS", "3").ort_threads, 3u);
    EXPECT_EQ(with("ORT_STATIC", "1").ort_static, true);
    EXPECT_EQ(with("ORT_STATIC", "0").ort_static, false);
    EXPECT_EQ(with("ORT_STATIC", "").ort_static, std::nullopt);
    const environment e = with("ORT_EPS", "QNN=C:\\a=b.dll;Other=/x.so");
    ASSERT_EQ(e.ort_eps.size(), 2u);
    EXPECT_EQ(e.ort_eps[0].name, "QNN");
    EXPECT_EQ(e.ort_eps[0].path, "C:\\a=b.dll");
    EXPECT_EQ(e.ort_eps[1].path, "/x.so");
    for (const char * bad : { "QNN", "=x", "QNN=", "a=b;", ";" }) {
        expect_refused("ORT_EPS", bad);
    }
    expect_refused("ORT", "npu,,gpu");
    expect_refused("ORT_WEIGHTS", "tiny");
    expect_refused("ORT_THREADS", "0");
    expect_refused("ORT_THREADS", "two");
    expect_refused("ORT_STATIC", "yes");
}

TEST(environment, empty_means_unset) {
    for (const char * name :
         { "TIER", "SOFTWARE", "GPU_KERNELS", "DEBUG", "PROFILE", "MEMORY_LIMIT", "DEVICES", "FAULT", "D3D12", "KERNELS" }) {
        EXPECT_TRUE(with(name, "").complaints.empty()) << name;
    }
}

TEST(environment, refused_values) {
    for (const char * value : { "sm99", "SM51", "51", " sm51" }) {
        expect_refused("TIER", value);
    }
    for (const char * name : { "SOFTWARE", "GPU_KERNELS", "DEBUG", "PROFILE" }) {
        for (const char * value : { "perhaps", "2", "true", "01" }) {
            expect_refused(name, value);
        }
    }
    for (const char * value : { "0", "-3", "+3", "4g", "1.5", "17592186044416", "99999999999999999999", " 4" }) {
        expect_refused("MEMORY_LIMIT", value);
    }
    for (const char * value : { "0,x", "x", "0,", ",0", "0,,1", "1,1", "-1", "4294967296" }) {
        expect_refused("DEVICES", value);
    }
    for (const char * value : { "earthquake", "removed", "removed@", "removed@0", "removed@x", "self-test@1", "@1" }) {
        expect_refused("FAULT", value);
    }
}

TEST(environment, one_complaint_for_each_refused_variable) {
    variables           = { { "GGML_DIRECTX_TIER", "x" }, { "GGML_DIRECTX_DEBUG", "x" }, { "GGML_DIRECTX_SOFTWARE", "1" } };
    const environment e = parse_environment(lookup);
    EXPECT_EQ(e.complaints.size(), 2u);
    EXPECT_TRUE(e.software);
}

TEST(environment, unknown_names) {
    const char *                   all[]      = { "HOME=/home/user",
                                                  "GGML_DIRECTX_TIER=sm51",
                                                  "GGML_DIRECTX_TEIR=sm51",
                                                  "GGML_DIRECTX_=1",
                                                  "GGML_DIRECTX_SHADER_CACHE=/tmp/x",
                                                  "GGML_VK_VISIBLE_DEVICES=0",
                                                  "GGML_DIRECTX_tier=sm51",
                                                  nullptr };
    const std::vector<std::string> complaints = complain_about_unknown(all);
    ASSERT_EQ(complaints.size(), 3u);
    EXPECT_EQ(complaints[0].rfind("GGML_DIRECTX_TEIR ", 0), 0u) << complaints[0];
    EXPECT_NE(complaints[0].find("TIER"), std::string::npos);
    EXPECT_EQ(complaints[2].rfind("GGML_DIRECTX_tier ", 0), 0u) << complaints[2];
    EXPECT_TRUE(complain_about_unknown(nullptr).empty());
}
