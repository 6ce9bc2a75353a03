// q4_K and q5_K start alike: half d, half dmin, then 8 scales and 8 mins of 6 bits in 12 bytes, for 32 elements each.
#ifndef GGML_DIRECTX_FORMATS_K_SCALES_HLSLI
#define GGML_DIRECTX_FORMATS_K_SCALES_HLSLI

// (d * scale, dmin * min) of sub-block i, from the first 16 bytes of the block. Byte i of the first word has the low 6
// bits of scale i < 4, of the second those of min i; the later ones have a nibble each in the third word and their
// upper 2 bits on top of the earlier ones.
float2 k_scale_min(uint4 head, uint i) {
    const uint shift = (i & 3u) * 8;
    uint scale = (head.y >> shift) & 0xffu;
    uint least = (head.z >> shift) & 0xffu;
    if (i < 4) {
        scale &= 63u;
        least &= 63u;
    } else {
        const uint rest = head.w >> shift;
        scale = ((scale >> 6) << 4) | (rest & 15u);
        least = ((least >> 6) << 4) | ((rest >> 4) & 15u);
    }
    return float2(f16_to_f32(head.x & 0xffffu) * float(scale), f16_to_f32(head.x >> 16) * float(least));
}

#endif
