// A row of recurrent state, updated token by token. QUADS > 0: four neighbouring threads hold it in registers, QUADS quads
// each, so that it may have up to QUADS * 16 elements, a multiple of 4. QUADS 0: one thread, and the row stays in dst: of
// any length, and a later dispatch can go on with it.
// The kernel defines QUADS and declares `RWByteAddressBuffer dst` before it includes this.
#ifndef GGML_DIRECTX_ROW_STATE_HLSLI
#define GGML_DIRECTX_ROW_STATE_HLSLI

#include "common.hlsli"

typedef float4 part; // what a thread works on at a time

static const uint group_rows = 32;

static uint row_size;   // elements of the row
static uint row_thread; // this thread's number in the group

#if QUADS > 0

#define GROUP_SIZE 128
#define EACH_PART(p) [unroll] for (uint p = 0; p < QUADS; ++p)

static const uint row_lanes = 4;
static part       row_parts[QUADS];

uint part_element(uint p) {
    return (p * row_lanes + row_thread % row_lanes) * 4;
}

part state(uint p) {
    return row_parts[p];
}

void set_state(uint p, part v) {
    row_parts[p] = v;
}

// Zeros past the row's end. The address is clamped rather than the load skipped: all loads of a token are under way together.
part load_part(RWByteAddressBuffer b, uint at, uint p) {
    const uint   e = part_element(p);
    const float4 v = asfloat(b.Load4(at + min(e, row_size - 4) * 4));
    return e < row_size ? v : 0.0f;
}

// Elements are `pitch` bytes apart. `home` is where the row ends up in dst; what stays there may be `resumed`.
void load_state(RWByteAddressBuffer b, uint at, uint home, uint pitch, bool resumed) {
    if (pitch == 4) {
        EACH_PART(p) {
            row_parts[p] = load_part(b, at, p);
        }
    } else {
        EACH_PART(p) {
            const uint  e    = part_element(p);
            const uint4 from = at + (min(e, row_size - 4) + uint4(0, 1, 2, 3)) * pitch;
            const float4 v   = asfloat(uint4(b.Load(from.x), b.Load(from.y), b.Load(from.z), b.Load(from.w)));
            row_parts[p] = e < row_size ? v : 0.0f;
        }
    }
}

void store_state(uint at, uint pitch) {
    EACH_PART(p) {
        const uint e = part_element(p);
        if (e < row_size) {
            if (pitch == 4) {
                dst.Store4(at + e * 4, asuint(row_parts[p]));
            } else {
                [unroll] for (uint i = 0; i < 4; ++i) {
                    dst.Store(at + (e + i) * pitch, asuint(row_parts[p][i]));
                }
            }
        }
    }
}

// Sums over the threads that share the row. Every thread of the group must call.
#if TIER >= 60
float row_sum(float v) {
    v += QuadReadAcrossX(v);
    return v + QuadReadAcrossY(v);
}
#else
groupshared float row_sums[GROUP_SIZE];

float row_sum(float v) {
    GroupMemoryBarrierWithGroupSync();
    row_sums[row_thread] = v;
    GroupMemoryBarrierWithGroupSync();
    const uint first = row_thread & ~3u;
    return (row_sums[first] + row_sums[first + 1]) + (row_sums[first + 2] + row_sums[first + 3]);
}
#endif

#else

#define GROUP_SIZE 32
#define EACH_PART(p) [loop] for (uint p = 0; p < (row_size + 3) / 4; ++p)

static const uint row_lanes = 1;
static uint       row_at;    // in dst
static uint       row_pitch; // bytes between elements

// Element p * 4 and the three after it, with zeros past the row's end.
part load_four(RWByteAddressBuffer b, uint at, uint pitch, uint p) {
    part v = 0.0f;
    if (pitch == 4 && p * 4 + 4 <= row_size) {
        v = asfloat(b.Load4(at + p * 16));
    } else {
        [unroll] for (uint i = 0; i < 4; ++i) {
            if (p * 4 + i < row_size) {
                v[i] = asfloat(b.Load(at + (p * 4 + i) * pitch));
            }
        }
    }
    return v;
}

void store_four(uint at, uint pitch, uint p, part v) {
    if (pitch == 4 && p * 4 + 4 <= row_size) {
        dst.Store4(at + p * 16, asuint(v));
    } else {
        [unroll] for (uint i = 0; i < 4; ++i) {
            if (p * 4 + i < row_size) {
                dst.Store(at + (p * 4 + i) * pitch, asuint(v[i]));
            }
        }
    }
}

part state(uint p) {
    return load_four(dst, row_at, row_pitch, p);
}

void set_state(uint p, part v) {
    store_four(row_at, row_pitch, p, v);
}

part load_part(RWByteAddressBuffer b, uint at, uint p) {
    return load_four(b, at, 4, p);
}

void load_state(RWByteAddressBuffer b, uint at, uint home, uint pitch, bool resumed) {
    row_at    = home;
    row_pitch = pitch;
    if (!resumed) {
        EACH_PART(p) {
            set_state(p, load_four(b, at, pitch, p));
        }
    }
}

void store_state(uint at, uint pitch) {
    if (at != row_at) {
        EACH_PART(p) {
            store_four(at, pitch, p, state(p));
        }
    }
}

float row_sum(float v) {
    return v;
}

#endif

#endif
