// Random graphs, computed whole by the CPU backend and by a DirectX device with memory reused between nodes, so that a wrong
// barrier shows as well as a wrong kernel. Together the seeds begin with every op of graph_ops() equally often.

#include "fuzz.h"
#include "random_graph.h"

#include <gtest/gtest.h>

namespace {

class graph_fuzz : public testing::TestWithParam<uint64_t> {};

TEST_P(graph_fuzz, equals_the_cpu) {
    const uint64_t seed  = GetParam();
    const size_t   first = seed % graph_ops().size();
    const int      more  = int(seed % 9);

    // Tensors remember where they were allocated: each backend gets its own copy of the graph.
    const random_graph on_cpu(seed, first, more, cpu_stream());
    const random_graph g(seed, first, more, directx_stream());
    ASSERT_TRUE(g.refused().empty()) << g.refused().front() << " is refused, but every tier must have every op" << g.describe();
    ASSERT_TRUE(on_cpu.refused().empty()) << on_cpu.refused().front() << ": nothing to compare with";

    const auto expected = on_cpu.run();
    const auto got      = g.run();
    ASSERT_FALSE(expected.empty() || got.empty()) << "seed " << seed << " cannot be computed" << g.describe();
    ASSERT_EQ(expected.size(), got.size());
    for (size_t i = 0; i < expected.size(); ++i) {
        const auto & [tensor, limit] = g.outputs()[i];
        ASSERT_LE(normalised_error(expected[i], got[i]), limit)
            << "output" << describe_tensor(tensor) << " of " << ggml_op_desc(tensor) << ", seed " << seed << g.describe();
    }
}

INSTANTIATE_TEST_SUITE_P(seeds, graph_fuzz, testing::ValuesIn(fuzz_seeds(500)),
                         [](const auto & test) { return "seed_" + std::to_string(test.param); });

}  // namespace
