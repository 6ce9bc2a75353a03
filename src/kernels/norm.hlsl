// RMS_NORM, NORM, L2_NORM, GROUP_NORM: a group of threads normalises one slice.
//   LAYOUT      what a thread takes at a time and what a slice is:
//               quads: four elements of a row of whole quads; any: one element of a row; volume: one of a run of channels
//   GROUP_SIZE  threads
// A thread comes back to its own elements only, so dst may be src.

#include "norm_args.h"
#include "quad.hlsli"
#include "group_reduce.hlsli"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    norm_args a;
};

// Items that a thread keeps in registers; only longer slices are read again.
static const uint held_items = 4;

typedef float4 item_quads;
typedef float  item_any;
typedef float  item_volume;

static const uint width_quads  = 4;
static const uint width_any    = 1;
static const uint width_volume = 1;

float total(float4 v) {
    return (v.x + v.y) + (v.z + v.w);
}
float total(float v) {
    return v;
}

uint items_quads(uint slice) {
    return a.src.ne.x / 4;
}
uint items_any(uint slice) {
    return a.src.ne.x;
}
uint items_volume(uint slice) {
    const uint first = min((slice % a.groups) * a.channels, a.src.ne.z);
    return a.src.ne.x * a.src.ne.y * min(a.channels, a.src.ne.z - first);
}

uint start_row(tensor_args t, uint slice) {
    return address(t, coordinates(slice, uint4(1, t.ne.yzw)));
}
uint start_quads(tensor_args t, uint slice) {
    return start_row(t, slice);
}
uint start_any(tensor_args t, uint slice) {
    return start_row(t, slice);
}
uint start_volume(tensor_args t, uint slice) {
    return t.offset + (slice % a.groups) * a.channels * t.nb.z + (slice / a.groups) * t.nb.w;
}

uint place_quads(tensor_args t, uint start, uint k) {
    return start + k * 16;
}
uint place_any(tensor_args t, uint start, uint k) {
    return start + k * t.nb.x;
}
uint place_volume(tensor_args t, uint start, uint k) {
    const uint row = k / t.ne.x;
    return start + (k % t.ne.x) * t.nb.x + (row % t.ne.y) * t.nb.y + (row / t.ne.y) * t.nb.z;
}

#define ITEM CONCAT(item_, LAYOUT)

float4 fetch_quads(uint at) {
    return load4_f32(src, at);
}
float fetch_any(uint at) {
    return load_f32(src, at);
}
float fetch_volume(uint at) {
    return load_f32(src, at);
}

void put(uint at, float4 v) {
    store4_f32(dst, at, v);
}
void put(uint at, float v) {
    store_f32(dst, at, v);
}

ITEM fetch(uint start, uint k) {
    return CONCAT(fetch_, LAYOUT)(CONCAT(place_, LAYOUT)(a.src, start, k));
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint slice = linear_group(group);
    // Groups that run over must reach the barriers too.
    const uint count = slice < a.slices ? CONCAT(items_, LAYOUT)(slice) : 0;
    const uint from  = CONCAT(start_, LAYOUT)(a.src, slice);
    const uint to    = CONCAT(start_, LAYOUT)(a.dst, slice);
    const uint rest  = thread + held_items * GROUP_SIZE;
    const bool centred = a.op == norm_variance;

    ITEM  held[held_items];
    float sum = 0.0f;
    uint  i;
    uint  k;
    [unroll] for (i = 0; i < held_items; ++i) {
        held[i] = 0.0f;
        k       = thread + i * GROUP_SIZE;
        if (k < count) {
            held[i] = fetch(from, k);
        }
        sum += total(centred ? held[i] : held[i] * held[i]);
    }
    [loop] for (k = rest; k < count; k += GROUP_SIZE) {
        const ITEM v = fetch(from, k);
        sum += total(centred ? v : v * v);
    }
    sum = group_sum(sum, thread);

    const float n    = float(count * CONCAT(width_, LAYOUT));
    float       mean = 0.0f;
    if (centred) {
        mean = sum / n;
        sum  = 0.0f;
        [unroll] for (i = 0; i < held_items; ++i) {
            if (thread + i * GROUP_SIZE < count) {
                sum += total((held[i] - mean) * (held[i] - mean));
            }
        }
        [loop] for (k = rest; k < count; k += GROUP_SIZE) {
            const ITEM v = fetch(from, k) - mean;
            sum += total(v * v);
        }
        sum = group_sum(sum, thread);
    }

    const float scale = a.op == norm_l2 ? 1.0f / max(sqrt(sum), a.eps) : 1.0f / sqrt(sum / n + a.eps);
    [unroll] for (i = 0; i < held_items; ++i) {
        k = thread + i * GROUP_SIZE;
        if (k < count) {
            put(CONCAT(place_, LAYOUT)(a.dst, to, k), (held[i] - mean) * scale);
        }
    }
    [loop] for (k = rest; k < count; k += GROUP_SIZE) {
        put(CONCAT(place_, LAYOUT)(a.dst, to, k), (fetch(from, k) - mean) * scale);
    }
}
