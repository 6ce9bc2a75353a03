// Division as IEEE has it. Drivers may be a few units off in the last place, which matters where a quotient picks an index.
#ifndef GGML_DIRECTX_DIVISION_HLSLI
#define GGML_DIRECTX_DIVISION_HLSLI

// a / b rounded to nearest, for normal b > 0, a = 0 or a normal > 0, and a normal quotient.
float divide_rounded(float a, float b) {
    if (a == 0.0f) {
        return 0.0f;
    }
    const uint m = (asuint(a) & 0x7fffffu) | 0x800000u;
    const uint n = (asuint(b) & 0x7fffffu) | 0x800000u;

    // The quotient of the significands as an integer of 24 bits. The device's guess is a few units off at most, so 32 bits
    // hold the remainder, whatever is lost above them.
    const uint shift = m >= n ? 23u : 24u;
    uint       q     = uint(float(m) / float(n) * float(1u << shift));
    int        rest  = int((m << shift) - q * n);
    [unroll] for (uint k = 0; k < 4; ++k) {
        if (rest < 0) {
            --q;
            rest += int(n);
        } else if (rest >= int(n)) {
            ++q;
            rest -= int(n);
        }
    }
    // Never a tie: two significands of one length have no quotient halfway between two others.
    if (2 * rest > int(n)) {
        ++q;
    }
    return asfloat(asuint(float(q)) + (((asuint(a) >> 23) - (asuint(b) >> 23) - shift) << 23));
}

#endif
