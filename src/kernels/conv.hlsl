// Convolution, directly: a thread computes CHANNELS channels of one place in the output.

#define GROUP_SIZE 128

#include "common.hlsli"
#include "conv_args.h"
#include "volume.hlsli"

RWByteAddressBuffer weights : register(u0);
RWByteAddressBuffer src     : register(u1);
RWByteAddressBuffer dst     : register(u2);

cbuffer args_buffer : register(b0) {
    conv_args a;
};

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint index = a.first + linear_group(group) * GROUP_SIZE + thread;
    if (index >= a.n) {
        return;
    }
    volume_args places   = a.dst;
    places.ne.w          = 1;
    place       to       = place_of(places, index);
    const uint  channel0 = a.first_channel + group.z * CHANNELS;

    uint k;
    uint filters[CHANNELS]; // what lies beyond the last channel computes the last again
    float sums[CHANNELS];
    [unroll] for (k = 0; k < CHANNELS; ++k) {
        filters[k] = min(channel0 + k, a.dst.ne.w - 1) * a.weights.batch_nb;
        sums[k]    = 0.0f;
    }

    [loop] for (uint z = 0; z < a.window.ne.z; ++z) {
        [loop] for (uint y = 0; y < a.window.ne.y; ++y) {
            [loop] for (uint x = 0; x < a.window.ne.x; ++x) {
                const int3 at = under(a.window, to.at, uint3(x, y, z));
                if (is_inside(a.src, at)) {
                    uint from = address(a.src, uint3(at), 0, to.batch);
                    uint with = address(a.weights, uint3(x, y, z), 0, 0);
                    [loop] for (uint c = 0; c < a.src.ne.w; ++c) {
                        const float v = load_f32(src, from);
                        [unroll] for (k = 0; k < CHANNELS; ++k) {
                            sums[k] += v * CONCAT(load_, WEIGHTS)(weights, with + filters[k]);
                        }
                        from += a.src.nb.w;
                        with += a.weights.nb.w;
                    }
                }
            }
        }
    }

    [unroll] for (k = 0; k < CHANNELS; ++k) {
        to.channel = channel0 + k;
        if (to.channel < a.dst.ne.w) {
            store_f32(dst, address(a.dst, to), sums[k]);
        }
    }
}
