// Constants of rope.hlsl.
#ifndef GGML_DIRECTX_ROPE_ARGS_H
#define GGML_DIRECTX_ROPE_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

// How a pair of channels gets one of the four positions of a token.
static const uint rope_one_position = 0; // there is one position only
static const uint rope_sections     = 1; // sections follow each other
static const uint rope_interleaved  = 2; // the first three alternate

struct rope_args {
    tensor_args src;
    tensor_args positions;
    tensor_args factors;
    tensor_args dst;

    uint  quads;          // of a row: two pairs of rotated channels, or four that are copied
    uint  rotated_quads;  // they come first
    uint  heads;          // rows with the same position that a thread does
    uint  head_blocks;

    uint  pairs;
    uint  first;          // rotated channel
    uint  pair_step;      // from the first channel of a pair to that of the next
    uint  pair_distance;  // between the channels of a pair

    uint  rotated;        // channels
    uint  packed;         // f16: the two halves of every word of dst belong to one quad
    uint  has_factors;
    uint  total_quads;

    uint  layout;
    uint  turn;           // pairs after which the sections repeat
    uint  unused0;
    uint  unused1;

    uint4 section_start;  // in pairs
    uint4 section_end;    // interleaved: three times its length
    uint4 section_resets; // 1: the angle starts anew with the section

    float theta_scale;
    float freq_scale;
    float ext_factor;
    float mscale;

    float ramp_low;
    float ramp_width;
    float sin_sign;
    float unused2;
};

#ifdef __cplusplus
static_assert(sizeof(rope_args) == 336);
}
#endif
#endif
