// Copies between tensors of one type, as units of memory without a meaning.
// UNIT: u8, u16, u32, x2 (two words) or x4; what divides the rows, strides and offsets of both sides.
#include "elements.hlsli"
#include "copy_args.h"

RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    copy_args a;
};

void move_x4(uint i) {
    dst.Store4(flat_address(a.dst, i), src.Load4(flat_address(a.src, i)));
}

void move_x2(uint i) {
    dst.Store2(flat_address(a.dst, i), src.Load2(flat_address(a.src, i)));
}

void move_u32(uint i) {
    dst.Store(flat_address(a.dst, i), src.Load(flat_address(a.src, i)));
}

// Where the destination's units make up whole words, a thread owns a word.
void move_u16(uint i) {
    const uint k     = i * a.width;
    const uint first = load_u16(src, flat_address(a.src, k));
    const uint to    = flat_address(a.dst, k);
    if (a.width == 2 && k + 1 < a.count) {
        dst.Store(to, first | (load_u16(src, flat_address(a.src, k + 1)) << 16));
    } else {
        store_u16(dst, to, first);
    }
}

void move_u8(uint i) {
    const uint k  = i * a.width;
    const uint to = flat_address(a.dst, k);
    if (a.width == 4 && k + 3 < a.count) {
        uint v = 0;
        [unroll] for (uint j = 0; j < 4; ++j) {
            v |= load_u8(src, flat_address(a.src, k + j)) << (8 * j);
        }
        dst.Store(to, v);
    } else {
        [loop] for (uint j = k; j < min(k + a.width, a.count); ++j) {
            store_u8(dst, flat_address(a.dst, j), load_u8(src, flat_address(a.src, j)));
        }
    }
}

[numthreads(128, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    const uint i = linear_group(group) * 128 + thread;
    if (i * a.width < a.count) {
        CONCAT(move_, UNIT)(i);
    }
}
