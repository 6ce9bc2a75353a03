// Sums and maxima over a group of GROUP_SIZE threads (a power of two). Every thread of the group must call, and every
// thread gets the result. Wave sizes from 4 to 128 lanes work: each wave leaves one value, the first wave's lanes fold them.
#ifndef GGML_DIRECTX_GROUP_REDUCE_HLSLI
#define GGML_DIRECTX_GROUP_REDUCE_HLSLI

#include "common.hlsli"

groupshared float group_scratch[GROUP_SIZE];

#if TIER >= 60
#define GROUP_REDUCE(name, wave_op, pair_op)                        \
    float name(float v, uint thread) {                              \
        const uint lanes = WaveGetLaneCount();                      \
        v = wave_op(v);                                             \
        if (lanes >= GROUP_SIZE) {                                  \
            return v;                                               \
        }                                                           \
        GroupMemoryBarrierWithGroupSync();                          \
        if (WaveIsFirstLane()) {                                    \
            group_scratch[thread / lanes] = v;                      \
        }                                                           \
        GroupMemoryBarrierWithGroupSync();                          \
        v = group_scratch[0];                                       \
        for (uint i = 1; i < GROUP_SIZE / lanes; ++i) {             \
            v = pair_op(v, group_scratch[i]);                       \
        }                                                           \
        return v;                                                   \
    }
#else
#define GROUP_REDUCE(name, wave_op, pair_op)                        \
    float name(float v, uint thread) {                              \
        GroupMemoryBarrierWithGroupSync();                          \
        group_scratch[thread] = v;                                  \
        [unroll] for (uint n = GROUP_SIZE / 2; n > 0; n /= 2) {     \
            GroupMemoryBarrierWithGroupSync();                      \
            if (thread < n) {                                       \
                group_scratch[thread] = pair_op(group_scratch[thread], group_scratch[thread + n]); \
            }                                                       \
        }                                                           \
        GroupMemoryBarrierWithGroupSync();                          \
        return group_scratch[0];                                    \
    }
#endif

float pair_add(float a, float b) {
    return a + b;
}

GROUP_REDUCE(group_sum, WaveActiveSum, pair_add)
GROUP_REDUCE(group_max, WaveActiveMax, max)

#endif
