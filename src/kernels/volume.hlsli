// Places in volume_args, and the windows of window_args over them.
#ifndef GGML_DIRECTX_VOLUME_HLSLI
#define GGML_DIRECTX_VOLUME_HLSLI

#include "volume_args.h"

// Where the search for the largest element begins
static const float lowest_float = asfloat(0xff7fffffu);

struct place {
    uint3 at;
    uint  channel;
    uint  batch;
};

// A negative coordinate is a huge unsigned one.
bool is_inside(volume_args v, int3 at) {
    return all(uint3(at) < v.ne.xyz);
}

uint address(volume_args v, uint3 at, uint channel, uint batch) {
    return v.offset + at.x * v.nb.x + at.y * v.nb.y + at.z * v.nb.z + channel * v.nb.w + batch * v.batch_nb;
}

uint address(volume_args v, place p) {
    return address(v, p.at, p.channel, p.batch);
}

// i counts width first, then height, depth, channels, batches.
place place_of(volume_args v, uint i) {
    place p;
    p.at.x = i % v.ne.x;
    i /= v.ne.x;
    p.at.y = i % v.ne.y;
    i /= v.ne.y;
    p.at.z = i % v.ne.z;
    i /= v.ne.z;
    p.channel = i % v.ne.w;
    p.batch   = i / v.ne.w;
    return p;
}

// The input under a tap of the window for an output.
int3 under(window_args w, uint3 output, uint3 tap) {
    return int3(output) * w.stride.xyz + int3(tap) * w.dilation.xyz - w.padding.xyz;
}

#endif
