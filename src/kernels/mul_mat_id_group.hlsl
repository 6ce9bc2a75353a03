// Sorts the (token, slot) pairs of MUL_MAT_ID by expert, and cuts each expert's into tiles. One group: the whole of it
// is a few reads of a small tensor.
#include "common.hlsli"
#include "mul_mat_args.h"

#define GROUP_SIZE 256
static const uint max_experts = 1024;
static const uint per_thread  = max_experts / GROUP_SIZE;

RWByteAddressBuffer ids   : register(u0);
RWByteAddressBuffer lists : register(u1);

cbuffer args_buffer : register(b0) {
    mul_mat_group_args a;
};

groupshared uint count[max_experts];  // pairs of each expert, then where its next pair goes
groupshared uint2 before[GROUP_SIZE]; // pairs and tiles of the experts up to a thread's last

// Counted from the first; not below `experts`: not one of these.
uint expert_of(uint pair) {
    const uint slot  = pair % a.ids.ne.x;
    const uint token = pair / a.ids.ne.x;
    return min(ids.Load(a.ids.offset + slot * a.ids.nb.x + token * a.ids.nb.y), a.last) - a.first;
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint thread : SV_GroupIndex) {
    uint i;
    [unroll] for (i = 0; i < per_thread; ++i) {
        count[thread * per_thread + i] = 0;
    }
    GroupMemoryBarrierWithGroupSync();
    [loop] for (i = thread; i < a.pairs; i += GROUP_SIZE) {
        const uint expert = expert_of(i);
        if (expert < a.experts) {
            InterlockedAdd(count[expert], 1);
        }
    }
    GroupMemoryBarrierWithGroupSync();

    uint2 own = 0;
    uint  counts[per_thread];
    [unroll] for (i = 0; i < per_thread; ++i) {
        counts[i] = count[thread * per_thread + i];
        own += uint2(counts[i], (counts[i] + a.tile - 1) / a.tile);
    }
    before[thread] = own;
    GroupMemoryBarrierWithGroupSync();
    if (thread == 0) {
        uint2 sum = 0;
        [loop] for (uint t = 0; t < GROUP_SIZE; ++t) {
            const uint2 next = before[t];
            before[t] = sum;
            sum += next;
        }
        // Tiles that the experts do not need
        [loop] for (uint n = sum.y; n < a.tiles; ++n) {
            lists.Store4(a.lists + a.tiles_at + n * 16, uint4(0, 0, 0, 0));
        }
        // They look up the first pair all the same
        if (sum.x == 0) {
            lists.Store(a.lists, 0);
        }
    }
    GroupMemoryBarrierWithGroupSync();

    uint2 at = before[thread];
    [unroll] for (i = 0; i < per_thread; ++i) {
        const uint expert = thread * per_thread + i;
        count[expert] = at.x;
        [loop] for (uint n = 0; n < counts[i]; n += a.tile) {
            lists.Store4(a.lists + a.tiles_at + at.y * 16, uint4(expert, at.x + n, min(counts[i] - n, a.tile), 0));
            ++at.y;
        }
        at.x += counts[i];
    }
    GroupMemoryBarrierWithGroupSync();
    // The order within an expert changes from run to run; no result depends on it.
    [loop] for (i = thread; i < a.pairs; i += GROUP_SIZE) {
        const uint expert = expert_of(i);
        if (expert < a.experts) {
            uint to;
            InterlockedAdd(count[expert], 1, to);
            lists.Store(a.lists + to * 4, i);
        }
    }
}
