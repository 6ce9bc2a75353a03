#pragma once

// What the fuzzers share. FUZZ_SEED is the first seed (default 1), FUZZ_COUNT the number of seeds (default: each fuzzer's own),
// FUZZ_PLUGIN the plug-in to load.

#include "ggml-backend.h"

#include <cstdint>
#include <string>
#include <vector>

// Streams of the CPU backend and of DirectX0, one of each for all tests: the device meets many graphs in a row.
ggml_backend_t cpu_stream();
ggml_backend_t directx_stream();

std::vector<uint64_t> fuzz_seeds(uint64_t default_count);

// Computes the graph and notes the ops and types that the DirectX device had to do: a run over all seeds must have met
// every op of ggml.
ggml_status compute(ggml_backend_t backend, ggml_cgraph * graph);

// The elements of a contiguous tensor of any float or quantised type.
void               set_floats(ggml_tensor * t, const std::vector<float> & data);
std::vector<float> get_floats(const ggml_tensor * t);

// " type[ne0 ne1 ne2 ne3]"; of a tensor with strides of its own "ne/nb" in the place of "ne", of a view "+offset" behind it.
std::string describe_tensor(const ggml_tensor * t);

// The squared difference over the squared norm, as test-backend-ops has it. Infinite where one of two is not finite and the
// other another value.
double normalised_error(const std::vector<float> & expected, const std::vector<float> & got);
