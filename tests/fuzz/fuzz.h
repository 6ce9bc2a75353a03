#pragma once

// What the fuzzers share. FUZZ_SEED is the first seed (default 1), FUZZ_COUNT the number of seeds (default: each fuzzer's own),
// FUZZ_PLUGIN the plug-in to load.

#include "ggml-backend.h"

#include <cstdint>
#include <vector>

ggml_backend_dev_t cpu_device();
ggml_backend_dev_t directx_device();

std::vector<uint64_t> fuzz_seeds(uint64_t default_count);
