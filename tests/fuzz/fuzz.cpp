#include "fuzz.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace {

uint64_t number_from_environment(const char * name, uint64_t otherwise) {
    const char * text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace

ggml_backend_dev_t cpu_device() {
    return ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
}

ggml_backend_dev_t directx_device() {
    return ggml_backend_dev_by_name("DirectX0");
}

std::vector<uint64_t> fuzz_seeds(uint64_t default_count) {
    std::vector<uint64_t> seeds(number_from_environment("FUZZ_COUNT", default_count));
    std::iota(seeds.begin(), seeds.end(), number_from_environment("FUZZ_SEED", 1));
    return seeds;
}

int main(int argc, char ** argv) {
    testing::InitGoogleTest(&argc, argv);
    ggml_backend_load_all();
    if (const char * plugin = std::getenv("FUZZ_PLUGIN")) {
        ggml_backend_load(plugin);
    }
    if (!cpu_device() || !directx_device()) {
        std::fprintf(stderr, "needs the CPU backend and a DirectX device\n");
        return 1;
    }
    return RUN_ALL_TESTS();
}
