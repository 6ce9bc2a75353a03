// How ggml finds the scales of the K types: by trying several and keeping the one with the least error.
#ifndef GGML_DIRECTX_FORMATS_K_FIT_HLSLI
#define GGML_DIRECTX_FORMATS_K_FIT_HLSLI

#include "encode.hlsli"

// The elements of the group in work, and their weights.
static float group_x[32];
static float group_w[32];

void load_group(block_source s, uint first, uint n) {
    [loop] for (uint i = 0; i < n; ++i) {
        group_x[i] = source_element(s, first + i);
    }
}

// Largest by magnitude, with its sign; the first of equals.
float group_extreme(uint n) {
    float most = 0.0f;
    [loop] for (uint i = 0; i < n; ++i) {
        if (abs(group_x[i]) > abs(most)) {
            most = group_x[i];
        }
    }
    return most;
}

// (scale, min) with x near scale * q - min, for q in 0 .. top. `absolute`: the error is of first order, else of second.
float2 fit_scale_and_min(uint n, int top, float start, uint steps, bool absolute) {
    float least = group_x[0];
    float most  = group_x[0];
    precise float sum_w = group_w[0];
    precise float sum_x = sum_w * group_x[0];
    uint i;
    [loop] for (i = 1; i < n; ++i) {
        least = min(least, group_x[i]);
        most  = max(most, group_x[i]);
        sum_w += group_w[i];
        sum_x += group_w[i] * group_x[i];
    }
    least = min(least, 0.0f);
    if (most == least) {
        return float2(0.0f, -least);
    }
    precise float inverse = quotient(float(top), most - least);
    float scale = quotient(1.0f, inverse);
    precise float best = 0.0f;
    [loop] for (i = 0; i < n; ++i) {
        precise float y    = inverse * (group_x[i] - least);
        precise float diff = scale * float(clamp(nearest(y), 0, top)) + least - group_x[i];
        precise float e    = absolute ? abs(diff) : diff * diff;
        best += group_w[i] * e;
    }
    [loop] for (uint step = 0; step <= steps; ++step) {
        precise float aim = start + 0.1f * float(step) + float(top);
        inverse = quotient(aim, most - least);
        precise float sum_l  = 0.0f;
        precise float sum_l2 = 0.0f;
        precise float sum_xl = 0.0f;
        [loop] for (i = 0; i < n; ++i) {
            precise float y  = inverse * (group_x[i] - least);
            const float   l  = float(clamp(nearest(y), 0, top));
            precise float wl = group_w[i] * l;
            sum_l  += wl;
            sum_l2 += wl * l;
            sum_xl += wl * group_x[i];
        }
        precise float det = sum_w * sum_l2 - sum_l * sum_l;
        if (det > 0.0f) {
            precise float n_scale = sum_w * sum_xl - sum_x * sum_l;
            precise float n_least = sum_l2 * sum_x - sum_l * sum_xl;
            float this_scale = quotient(n_scale, det);
            float this_least = quotient(n_least, det);
            if (this_least > 0.0f) {
                this_least = 0.0f;
                this_scale = quotient(sum_xl, sum_l2);
            }
            precise float error = 0.0f;
            [loop] for (i = 0; i < n; ++i) {
                precise float y    = inverse * (group_x[i] - least);
                precise float diff = this_scale * float(clamp(nearest(y), 0, top)) + this_least - group_x[i];
                precise float e    = absolute ? abs(diff) : diff * diff;
                error += group_w[i] * e;
            }
            if (error < best) {
                best  = error;
                scale = this_scale;
                least = this_least;
            }
        }
    }
    return float2(scale, -least);
}

// q4_K and q5_K: eight groups of 32, scales and mins of 6 bits. Leaves the head of the block in block_words.
void encode_k_head(block_source s, int top, float start, uint steps) {
    float2 fits[8];
    float2 most = 0.0f;
    [loop] for (uint i = 0; i < 8; ++i) {
        load_group(s, i * 32, 32);
        precise float squares = 0.0f;
        uint j;
        [loop] for (j = 0; j < 32; ++j) {
            squares += group_x[j] * group_x[j];
        }
        const float mean = root(squares * 0.03125f);
        [loop] for (j = 0; j < 32; ++j) {
            precise float w = mean + abs(group_x[j]);
            group_w[j] = w;
        }
        fits[i] = fit_scale_and_min(32, top, start, steps, false);
        most = max(most, fits[i]);
    }
    const float2 inverse = float2(most.x > 0.0f ? quotient(63.0f, most.x) : 0.0f, most.y > 0.0f ? quotient(63.0f, most.y) : 0.0f);
    [loop] for (uint k = 0; k < 8; ++k) {
        precise float2 y = inverse * fits[k];
        const uint scale = min(uint(nearest(y.x)) & 0xffu, 63u);
        const uint least = min(uint(nearest(y.y)) & 0xffu, 63u);
        if (k < 4) {
            set_block_bits(4 + k, scale);
            set_block_bits(8 + k, least);
        } else {
            set_block_bits(8 + k, (scale & 15u) | ((least & 15u) << 4));
            set_block_bits(k, (scale >> 4) << 6);
            set_block_bits(4 + k, (least >> 4) << 6);
        }
    }
    set_block_bits(0, f32_to_f16(quotient(most.x, 63.0f)));
    set_block_bits(2, f32_to_f16(quotient(most.y, 63.0f)));
}

// The quant of an element under the (scale, min) that were stored.
uint k_quant(float x, float2 s, int top) {
    if (s.x == 0.0f) {
        return 0;
    }
    precise float sum = x + s.y;
    return uint(clamp(nearest(quotient(sum, s.x)), 0, top));
}

#endif
