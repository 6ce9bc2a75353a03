#include "onnx/ops.h"

#include <cmath>

namespace ggml_directx::onnx {

namespace {

constexpr int64_t max_positions = 1 << 22;

bool are_conv_types(const ggml_tensor * dst) {
    return (dst->src[0]->type == GGML_TYPE_F32 || dst->src[0]->type == GGML_TYPE_F16) && dst->src[1]->type == GGML_TYPE_F32 &&
           dst->type == GGML_TYPE_F32;
}

// ggml's parameters are innermost first: strides, paddings, dilations of n dimensions.
std::vector<attribute> window(const ggml_tensor * dst, int n, int64_t groups) {
    std::vector<int64_t> strides;
    std::vector<int64_t> pads;
    std::vector<int64_t> dilations;
    for (int i = n - 1; i >= 0; --i) {
        strides.push_back(dst->op_params[i]);
        pads.push_back(dst->op_params[n + i]);
        dilations.push_back(dst->op_params[2 * n + i]);
    }
    const std::vector<int64_t> one_side = pads;
    pads.insert(pads.end(), one_side.begin(), one_side.end());
    return { { "strides", strides }, { "pads", pads }, { "dilations", dilations }, { "group", groups } };
}

}  // namespace

void emit_conv(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * w = dst->src[0];
    const ggml_tensor * x = dst->src[1];
    require(are_conv_types(dst), "types");
    value filters = t.read_f32(w);
    value image   = t.read(x);
    switch (dst->op) {
        case GGML_OP_CONV_2D: t.write(dst, t.op("Conv", { image, filters }, window(dst, 2, 1))); break;
        case GGML_OP_CONV_2D_DW: t.write(dst, t.op("Conv", { image, filters }, window(dst, 2, x->ne[2]))); break;
        case GGML_OP_CONV_3D: {
            const int64_t channels = dst->op_params[9];
            const int64_t batches  = dst->op_params[10];
            const int64_t outputs  = dst->op_params[11];
            require(channels > 0 && x->ne[3] == channels * batches && w->ne[3] == channels * outputs, "channels");
            image         = t.reshape(image, { batches, channels, x->ne[2], x->ne[1], x->ne[0] });
            filters       = t.reshape(filters, { outputs, channels, w->ne[2], w->ne[1], w->ne[0] });
            const value y = t.op("Conv", { image, filters }, window(dst, 3, 1));
            t.write(dst, t.reshape(y, translator::shape_of(dst)));
            break;
        }
        default: throw unsupported("this convolution");
    }
}

void emit_conv_transpose(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * w = dst->src[0];
    const ggml_tensor * x = dst->src[1];
    require(are_conv_types(dst) && dst->op_params[0] > 0, "types");
    const int64_t stride  = dst->op_params[0];
    value         filters = t.read_f32(w);
    value         image   = t.read(x);
    if (dst->op == GGML_OP_CONV_TRANSPOSE_2D) {
        t.write(dst, t.op("ConvTranspose", { image, filters }, { { "strides", std::vector<int64_t>{ stride, stride } } }));
        return;
    }
    require(x->ne[2] == 1 && x->ne[3] == 1, "batches");
    filters       = t.reshape(filters, { w->ne[2], w->ne[1], w->ne[0] });
    image         = t.reshape(image, { 1, x->ne[1], x->ne[0] });
    const value y = t.op("ConvTranspose", { image, filters }, { { "strides", std::vector<int64_t>{ stride } } });
    t.write(dst, t.reshape(y, translator::shape_of(dst)));
}

// Columns are gathered from the padded image: each place of the filter, each of its taps.
void emit_im2col(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * kernel = dst->src[0];
    const ggml_tensor * x      = dst->src[1];
    require((x->type == GGML_TYPE_F32 || x->type == GGML_TYPE_F16) && (dst->type == GGML_TYPE_F32 || dst->type == GGML_TYPE_F16), "types");
    const bool    flat     = dst->op_params[6] != 1;  // one-dimensional; the second dimension's parameters are undefined
    const int64_t stride0  = dst->op_params[0];
    const int64_t stride1  = flat ? 1 : dst->op_params[1];
    const int64_t pad0     = dst->op_params[2];
    const int64_t pad1     = flat ? 0 : dst->op_params[3];
    const int64_t step0    = dst->op_params[4];
    const int64_t step1    = flat ? 1 : dst->op_params[5];
    const int64_t taps0    = kernel->ne[0];
    const int64_t taps1    = flat ? 1 : kernel->ne[1];
    const int64_t width    = x->ne[0];
    const int64_t height   = flat ? 1 : x->ne[1];
    const int64_t channels = flat ? x->ne[1] : x->ne[2];
    const int64_t batches  = flat ? x->ne[2] : x->ne[3];
    const int64_t across   = dst->ne[1];
    const int64_t down     = flat ? 1 : dst->ne[2];
    require(!flat || x->ne[3] == 1, "batches");
    require(across * down * taps0 * taps1 <= max_positions && pad0 >= 0 && pad1 >= 0, "size");

    value image = t.reshape(t.read(x), { batches, channels, height, width });
    if (pad0 > 0 || pad1 > 0) {
        const value nothing = t.cast(t.scalar(0.0f), t.out.type_of(image));
        image               = t.op("Pad", { image, t.out.numbers({ 0, 0, pad1, pad0, 0, 0, pad1, pad0 }), nothing });
    }
    const int64_t        padded0 = width + 2 * pad0;
    const int64_t        padded1 = height + 2 * pad1;
    std::vector<int64_t> at;
    for (int64_t y = 0; y < down; ++y) {
        for (int64_t z = 0; z < across; ++z) {
            for (int64_t k1 = 0; k1 < taps1; ++k1) {
                for (int64_t k0 = 0; k0 < taps0; ++k0) {
                    const int64_t row    = y * stride1 + k1 * step1;
                    const int64_t column = z * stride0 + k0 * step0;
                    require(row < padded1 && column < padded0, "a window beyond the image");
                    at.push_back(row * padded0 + column);
                }
            }
        }
    }
    // [batches, channels, places * taps], then channels between places and taps
    const value rows    = t.reshape(image, { batches, channels, padded0 * padded1 });
    const value picked  = t.op("Gather", { rows, t.out.numbers(std::move(at)) }, { { "axis", int64_t(2) } });
    const value apart   = t.reshape(picked, { batches, channels, across * down, taps0 * taps1 });
    const value ordered = t.transpose(apart, { 0, 2, 1, 3 });
    t.write(dst, t.cast(t.reshape(ordered, translator::shape_of(dst)), element_of(dst->type)));
}

void emit_pool(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * x    = dst->src[0];
    const int           n    = dst->op == GGML_OP_POOL_1D ? 1 : 2;
    const bool          mean = dst->op_params[0] == GGML_OP_POOL_AVG;
    require((x->type == GGML_TYPE_F32 || x->type == GGML_TYPE_F16) && dst->type == GGML_TYPE_F32, "types");
    std::vector<int64_t> extent;
    std::vector<int64_t> strides;
    std::vector<int64_t> pads;
    for (int i = n - 1; i >= 0; --i) {
        extent.push_back(dst->op_params[1 + i]);
        strides.push_back(dst->op_params[1 + n + i]);
        pads.push_back(dst->op_params[1 + 2 * n + i]);
        require(strides.back() > 0 && pads.back() >= 0 && pads.back() < extent.back(), "window");
    }
    const std::vector<int64_t> one_side = pads;
    pads.insert(pads.end(), one_side.begin(), one_side.end());
    std::vector<attribute> how = { { "kernel_shape", extent }, { "strides", strides }, { "pads", pads } };
    if (mean) {
        // ggml's one-dimensional mean leaves out what lies outside, its two-dimensional one counts it as zeros
        how.push_back({ "count_include_pad", int64_t(n == 2) });
    }
    const value image = n == 1 ? t.reshape(t.read_f32(x), { x->ne[3] * x->ne[2], x->ne[1], x->ne[0] }) : t.read_f32(x);
    t.write(dst, t.reshape(t.op(mean ? "AveragePool" : "MaxPool", { image }, std::move(how)), translator::shape_of(dst)));
}

void emit_upscale(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * x     = dst->src[0];
    const int32_t       flags = dst->op_params[0];
    const int32_t       mode  = flags & 0xff;
    require(x->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32 && (flags & GGML_SCALE_FLAG_ANTIALIAS) == 0, "types");
    const bool             corners = (flags & GGML_SCALE_FLAG_ALIGN_CORNERS) != 0;
    std::vector<attribute> how;
    if (mode == GGML_SCALE_MODE_NEAREST) {
        how = { { "mode", std::string_view("nearest") },
                { "coordinate_transformation_mode", std::string_view("asymmetric") },
                { "nearest_mode", std::string_view("floor") } };
    } else {
        require(mode == GGML_SCALE_MODE_BILINEAR || mode == GGML_SCALE_MODE_BICUBIC, "mode");
        require(x->ne[2] == dst->ne[2] && x->ne[3] == dst->ne[3], "outer dimensions");
        require(!corners || (dst->ne[0] > 1 && dst->ne[1] > 1 && x->ne[0] > 1 && x->ne[1] > 1), "corners");
        how = { { "mode", std::string_view(mode == GGML_SCALE_MODE_BILINEAR ? "linear" : "cubic") },
                { "coordinate_transformation_mode", std::string_view(corners ? "align_corners" : "half_pixel") },
                { "cubic_coeff_a", -0.75f } };
    }
    t.write(dst, t.op("Resize", { t.read(x), {}, {}, t.out.numbers(translator::shape_of(dst)) }, std::move(how)));
}

// Each channel has its own filter over time.
void emit_ssm_conv(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * x = dst->src[0];
    const ggml_tensor * w = dst->src[1];
    require(x->type == GGML_TYPE_F32 && w->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32 && x->ne[3] == 1, "types");
    const value rows    = t.reshape(t.read(x), { x->ne[2], x->ne[1], x->ne[0] });
    const value filters = t.reshape(t.read(w), { w->ne[1], 1, w->ne[0] });
    const value y       = t.op("Conv", { rows, filters }, { { "group", x->ne[1] } });
    t.write(dst, t.reshape(t.transpose(y, { 0, 2, 1 }), translator::shape_of(dst)));
}

void emit_timestep_embedding(translator & t, const ggml_tensor * dst) {
    const ggml_tensor * steps = dst->src[0];
    require(steps->type == GGML_TYPE_F32 && dst->type == GGML_TYPE_F32, "types");
    const int64_t      width  = dst->op_params[0];
    const auto         period = float(dst->op_params[1]);
    const int64_t      half   = width / 2;
    std::vector<float> frequencies;
    for (int64_t j = 0; j < half; ++j) {
        frequencies.push_back(std::exp(-std::log(period) * float(j) / float(half)));
    }
    const int64_t n    = steps->ne[0];
    const value angles = t.op("Mul", { t.reshape(t.read(steps), { n, 1 }), t.out.literal(element::f32, { 1, half }, frequencies.data()) });
    std::vector<value> parts = { t.op("Cos", { angles }), t.op("Sin", { angles }) };
    if (dst->ne[0] != 2 * half) {
        parts.push_back(t.op("Expand", { t.scalar(0.0f), t.out.numbers({ n, dst->ne[0] - 2 * half }) }));
    }
    t.write(dst, t.reshape(t.concat(parts, 1), translator::shape_of(dst)));
}

}  // namespace ggml_directx::onnx
