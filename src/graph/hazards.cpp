#include "graph/hazards.h"

#include <algorithm>

namespace ggml_directx {

namespace {

bool writes(access mode) {
    return (uint8_t(mode) & uint8_t(access::write)) != 0;
}

bool overlaps(const region & a, const region & b) {
    return a.buffer == b.buffer && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

bool conflicts(const step & s, std::span<const binding> pending) {
    for (uint32_t i = 0; i < s.n_bindings; ++i) {
        for (const binding & p : pending) {
            if ((writes(s.bindings[i].mode) || writes(p.mode)) && overlaps(s.bindings[i].target, p.target)) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

std::vector<bool> find_barriers(std::span<const step> steps) {
    std::vector<bool>    barriers(steps.size(), false);
    std::vector<binding> pending;  // what steps since the last barrier touch
    for (size_t i = 0; i < steps.size(); ++i) {
        const step & s = steps[i];
        if (conflicts(s, pending)) {
            barriers[i] = true;
            pending.clear();
        }
        pending.insert(pending.end(), s.bindings.begin(), s.bindings.begin() + s.n_bindings);
    }
    return barriers;
}

void reverse_between_barriers(std::span<step> steps, const std::vector<bool> & barriers) {
    for (size_t first = 0, end = 0; first < steps.size(); first = end) {
        for (end = first + 1; end < steps.size() && !barriers[end];) {
            ++end;
        }
        std::reverse(steps.begin() + ptrdiff_t(first), steps.begin() + ptrdiff_t(end));
    }
}

}  // namespace ggml_directx
