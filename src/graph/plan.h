#pragma once

#include "graph/fingerprint.h"
#include "ops/op_table.h"
#include "ops/step.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

struct ggml_cgraph;

namespace ggml_directx {

// What a graph comes to on a device: steps, the barriers between them, and where to cut it into submissions.
struct plan {
    step_list         work;       // its steps in the order in which they are recorded
    std::vector<bool> barriers;   // one a step, before it
    fingerprint       structure;  // all but the values of the constants: plans with equal structure share a recording
};

// Encodes every node of the graph. Throws std::runtime_error naming the node if one cannot be encoded: the scheduler
// sends only what supports_op claimed, so that is a fault in the backend or a caller that never asked.
plan make_plan(const ggml_cgraph * graph, const kernel_library & library, const d3d12::capabilities & caps);

// Cuts steps into runs whose work stays within `budget` each (a single larger step stands alone): the index of the first
// step of every run.
std::vector<uint32_t> split_by_work(std::span<const step> steps, uint64_t budget);

}  // namespace ggml_directx
