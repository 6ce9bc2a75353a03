#include "graph/hazards.h"

#include <gtest/gtest.h>

using mode = ggml_directx::access;  // not the access() of unistd.h
using ggml_directx::binding;
using ggml_directx::find_barriers;
using ggml_directx::reverse_between_barriers;
using ggml_directx::step;

namespace {

const int buffers[2] = {};

binding touch(int buffer, uint64_t offset, uint64_t size, mode m) {
    return { { &buffers[buffer], uint64_t(buffer) + 1, offset, size }, m };
}

step make_step(std::initializer_list<binding> bindings) {
    step s;
    for (const binding & b : bindings) {
        s.bindings[s.n_bindings++] = b;
    }
    return s;
}

std::vector<bool> barriers(std::initializer_list<step> steps) {
    return find_barriers({ steps.begin(), steps.size() });
}

}  // namespace

TEST(hazards, independent_steps_need_no_barrier) {
    EXPECT_EQ(barriers({ make_step({ touch(0, 0, 64, mode::read), touch(0, 256, 64, mode::write) }),
                         make_step({ touch(0, 64, 64, mode::read), touch(0, 512, 64, mode::write) }) }),
              (std::vector<bool>{ false, false }));
}

TEST(hazards, read_after_write) {
    EXPECT_EQ(barriers({ make_step({ touch(0, 0, 64, mode::write) }), make_step({ touch(0, 32, 64, mode::read) }) }),
              (std::vector<bool>{ false, true }));
}

TEST(hazards, write_after_read) {
    EXPECT_EQ(barriers({ make_step({ touch(0, 0, 64, mode::read) }), make_step({ touch(0, 63, 1, mode::write) }) }),
              (std::vector<bool>{ false, true }));
}

TEST(hazards, write_after_write) {
    EXPECT_EQ(barriers({ make_step({ touch(0, 0, 64, mode::write) }), make_step({ touch(0, 0, 4, mode::read_write) }) }),
              (std::vector<bool>{ false, true }));
}

TEST(hazards, reads_share) {
    EXPECT_EQ(barriers({ make_step({ touch(0, 0, 64, mode::read) }), make_step({ touch(0, 0, 64, mode::read) }) }),
              (std::vector<bool>{ false, false }));
}

TEST(hazards, ranges_that_only_touch_do_not_overlap) {
    EXPECT_EQ(barriers({ make_step({ touch(0, 0, 64, mode::write) }), make_step({ touch(0, 64, 64, mode::read) }) }),
              (std::vector<bool>{ false, false }));
}

TEST(hazards, equal_ranges_of_different_buffers_do_not_overlap) {
    EXPECT_EQ(barriers({ make_step({ touch(0, 0, 64, mode::write) }), make_step({ touch(1, 0, 64, mode::read) }) }),
              (std::vector<bool>{ false, false }));
}

TEST(hazards, a_barrier_settles_all_that_came_before) {
    const step write_a = make_step({ touch(0, 0, 64, mode::write) });
    const step write_b = make_step({ touch(0, 64, 64, mode::write) });
    const step read_a  = make_step({ touch(0, 0, 64, mode::read), touch(1, 0, 64, mode::write) });
    const step read_b  = make_step({ touch(0, 64, 64, mode::read), touch(1, 64, 64, mode::write) });
    EXPECT_EQ(barriers({ write_a, write_b, read_a, read_b }), (std::vector<bool>{ false, false, true, false }));
}

TEST(hazards, scratch_memory_counts) {
    const binding scratch_write = { { nullptr, 0, 0, 256 }, mode::write };
    const binding scratch_read  = { { nullptr, 0, 128, 4 }, mode::read };
    EXPECT_EQ(barriers({ make_step({ scratch_write }), make_step({ scratch_read }) }), (std::vector<bool>{ false, true }));
}

TEST(hazards, steps_are_reversed_up_to_the_next_barrier) {
    std::vector<step> steps(6);
    for (uint32_t i = 0; i < steps.size(); ++i) {
        steps[i].node = i;
    }
    reverse_between_barriers(steps, { false, false, true, false, false, true });
    std::vector<uint32_t> order;
    for (const step & s : steps) {
        order.push_back(s.node);
    }
    EXPECT_EQ(order, (std::vector<uint32_t>{ 1, 0, 4, 3, 2, 5 }));
}
