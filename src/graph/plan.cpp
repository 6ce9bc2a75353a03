#include "graph/plan.h"

#include "environment.h"
#include "graph/hazards.h"
#include "ops/split.h"

#include "ggml-impl.h"
#include "ggml.h"

#include <stdexcept>

namespace ggml_directx {

namespace {

fingerprint structure_of(const plan & p) {
    hasher h;
    h.add(p.work.scratch_size);
    h.add(p.work.args.size());
    for (size_t i = 0; i < p.work.steps.size(); ++i) {
        const step & s = p.work.steps[i];
        h.add(uint64_t(s.pipeline->index) << 32 | s.args_offset);
        h.add(uint64_t(s.grid[0]) << 32 | s.grid[1]);
        h.add(uint64_t(s.grid[2]) << 32 | uint64_t(p.barriers[i]) << 8 | s.n_bindings);
        for (uint32_t b = 0; b < s.n_bindings; ++b) {
            const region & r = s.bindings[b].target;
            h.add(r.uid);
            h.add(r.offset / bind_alignment);  // what is bound; the rest is a constant
        }
    }
    return h.result();
}

}  // namespace

plan make_plan(const ggml_cgraph * graph, const kernel_library & library, const d3d12::capabilities & caps) {
    plan    p;
    encoder e(library, caps, &p.work);
    for (int i = 0; i < graph->n_nodes; ++i) {
        const ggml_tensor * node = graph->nodes[i];
        if (is_view_op(node->op) || ggml_is_empty(node) || (node->flags & GGML_TENSOR_FLAG_COMPUTE) == 0) {
            continue;
        }
        e.set_node(uint32_t(i));
        if (!encode_node(e, node)) {
            throw std::runtime_error(std::string("cannot run node ") + std::to_string(i) + " '" + node->name + "' (" + ggml_op_desc(node) +
                                     ") on this device");
        }
    }
    p.barriers = find_barriers(p.work.steps);
    if (env().reverse) {
        reverse_between_barriers(p.work.steps, p.barriers);
    }
    p.structure = structure_of(p);
    return p;
}

std::vector<uint32_t> split_by_work(std::span<const step> steps, uint64_t budget) {
    std::vector<uint32_t> starts;
    uint64_t              sum = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
        if (i == 0 || sum + steps[i].work > budget) {
            starts.push_back(uint32_t(i));
            sum = 0;
        }
        sum += steps[i].work;
    }
    return starts;
}

}  // namespace ggml_directx
