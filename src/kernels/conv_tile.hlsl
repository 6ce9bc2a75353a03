// Convolution as a matrix product whose columns are never written down: a group computes a tile of channels x places from
// slabs of filters and of what their taps see, in groupshared memory, four channels or places to a vector. A thread keeps
// 8 channels x 8 places in registers: fours of neighbours, 32 apart.

#include "conv_args.h"
#include "quad.hlsli"
#include "volume.hlsli"

RWByteAddressBuffer weights : register(u0);
RWByteAddressBuffer src     : register(u1);
RWByteAddressBuffer dst     : register(u2);

cbuffer args_buffer : register(b0) {
    conv_args a;
};

static const uint group_size = 64;
static const uint tile       = 64;
static const uint fours      = tile / 4;                     // in a tile
static const uint own_taps   = 8;                            // that a thread loads of four channels and places
static const uint slab       = group_size / fours * own_taps; // taps at a time
static const uint per_thread = tile / 32;                    // fours of channels and places

static const int nowhere = -1000000000; // far outside of any image

groupshared float4 channels_tile[slab * fours];
groupshared float4 places_tile[slab * fours];

// A place in a filter. What lies nearest in memory counts first, so that loads of neighbours meet.
struct tap {
    uint3 at;
    uint  channel;
};

tap tap_of(uint4 counter) {
    tap t;
    t.at      = a.inner_channels ? counter.yzw : counter.xyz;
    t.channel = a.inner_channels ? counter.x : counter.w;
    return t;
}

[numthreads(group_size, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint place0   = a.first + linear_group(group) * tile;
    const uint channel0 = a.first_channel + group.z * tile;

    const uint4 counts = a.inner_channels ? uint4(a.src.ne.w, a.window.ne.xyz) : uint4(a.window.ne.xyz, a.src.ne.w);
    const uint  n_taps = counts.x * counts.y * counts.z * counts.w;

    volume_args places = a.dst;
    places.ne.w        = 1;

    uint i;
    uint j;
    uint k;

    // Loading. What lies beyond the last channel repeats it, beyond the last place are zeros.
    const uint  own_k    = thread / fours * own_taps;
    const uint  own_four = thread % fours * 4;
    const uint  own_slot = own_k * fours + thread % fours;
    const uint4 filters  = min(channel0 + own_four + uint4(0, 1, 2, 3), a.dst.ne.w - 1) * a.weights.batch_nb;

    int3  origins[4];
    uint4 images = 0;
    [unroll] for (i = 0; i < 4; ++i) {
        origins[i]         = nowhere;
        const uint p_index = place0 + own_four + i;
        if (p_index < a.n) {
            const place p = place_of(places, p_index);
            origins[i]    = under(a.window, p.at, 0);
            images[i]     = a.src.offset + p.batch * a.src.batch_nb;
        }
    }

    // Computing
    const uint x = thread % 8;
    const uint y = thread / 8;

    float4 sums[per_thread][per_thread * 4];
    [unroll] for (i = 0; i < per_thread; ++i) {
        [unroll] for (j = 0; j < per_thread * 4; ++j) {
            sums[i][j] = 0.0f;
        }
    }

    [loop] for (uint k0 = 0; k0 < n_taps; k0 += slab) {
        uint4 counter = coordinates(k0 + own_k, counts);
        [unroll] for (k = 0; k < own_taps; ++k) {
            float4 w = 0.0f;
            float4 v = 0.0f;
            if (k0 + own_k + k < n_taps) {
                const tap   t    = tap_of(counter);
                const int3  step = int3(t.at) * a.window.dilation.xyz;
                const uint4 with = filters + address(a.weights, t.at, t.channel, 0);
                [unroll] for (i = 0; i < 4; ++i) {
                    const int3 at = origins[i] + step;
                    w[i]          = CONCAT(load_, WEIGHTS)(weights, with[i]);
                    if (is_inside(a.src, at)) {
                        v[i] = load_f32(src, images[i] + dot(uint3(at), a.src.nb.xyz) + t.channel * a.src.nb.w);
                    }
                }
                counter = next(counter, counts);
            }
            channels_tile[own_slot + k * fours] = w;
            places_tile[own_slot + k * fours]   = v;
        }
        GroupMemoryBarrierWithGroupSync();
        const uint steps = min(n_taps - k0, slab);
        [loop] for (k = 0; k < steps; ++k) {
            float4 v[per_thread];
            [unroll] for (i = 0; i < per_thread; ++i) {
                v[i] = places_tile[k * fours + i * 8 + x];
            }
            [unroll] for (j = 0; j < per_thread; ++j) {
                const float4 w = channels_tile[k * fours + j * 8 + y];
                [unroll] for (i = 0; i < per_thread; ++i) {
                    sums[i][j * 4 + 0] += v[i] * w.x;
                    sums[i][j * 4 + 1] += v[i] * w.y;
                    sums[i][j * 4 + 2] += v[i] * w.z;
                    sums[i][j * 4 + 3] += v[i] * w.w;
                }
            }
        }
        GroupMemoryBarrierWithGroupSync();
    }

    // The places of an image lie one after another in each channel.
    const uint image_size = a.dst.ne.x * a.dst.ne.y * a.dst.ne.z;
    [unroll] for (i = 0; i < per_thread; ++i) {
        const uint  first = place0 + i * 32 + x * 4;
        const uint4 all4  = first + uint4(0, 1, 2, 3);
        const uint4 at    = a.dst.offset + all4 / image_size * a.dst.batch_nb + all4 % image_size * 4;
        const bool  whole = first % image_size + 3 < image_size && first + 3 < a.n;
        const uint  count = min(a.n - min(first, a.n), 4u);
        [unroll] for (j = 0; j < per_thread * 4; ++j) {
            const uint channel = channel0 + j / 4 * 32 + y * 4 + j % 4;
            if (channel < a.dst.ne.w) {
                store_few_f32(dst, at + channel * a.dst.nb.w, sums[i][j], count, whole);
            }
        }
    }
}
