#pragma once

#include <algorithm>
#include <cstdint>

namespace ggml_directx {

// Decides how much work goes into one submission. Windows resets a GPU whose submission runs for 2 s, on the slowest device
// as on the fastest: aim at a fraction of that, from the pace seen so far. Work is in step::work units.
class pacer {
public:
    static constexpr double target_seconds = 0.25;

    explicit pacer(double units_per_second) : pace_(units_per_second) {}

    uint64_t budget() const { return uint64_t(pace_ * target_seconds); }

    // A batch of `work` took `seconds` from submission to completion. Short batches say more about latency than about
    // pace: they never lower it.
    void observe(uint64_t work, double seconds) {
        if (seconds <= 0 || work == 0) {
            return;
        }
        const double seen = double(work) / seconds;
        if (seen > pace_) {
            pace_ = std::min(seen, pace_ * 4);
        } else if (seconds > target_seconds) {
            pace_ = std::max(seen, 1e6);
        }
    }

private:
    double pace_;
};

}  // namespace ggml_directx
