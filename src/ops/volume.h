#pragma once

// Tensors as batches of images: the axes of ggml's convolutions stand in different places.

#include "kernels/volume_args.h"

#include "ggml.h"

#include <array>
#include <cstdint>

namespace ggml_directx {

// The dimension that holds width, height, depth, channels and batches; none: there is one of it.
using volume_axes = std::array<int, 5>;

constexpr int no_axis = -1;

constexpr volume_axes axes_1d = { 0, no_axis, no_axis, 1, 2 };
constexpr volume_axes axes_2d = { 0, 1, no_axis, 2, 3 };

args::volume_args as_volume(const args::tensor_args & t, const volume_axes & axes);

// Width, height, depth, and a last dimension that counts `channels` for each batch.
args::volume_args as_volume_3d(const args::tensor_args & t, uint32_t channels);

// Windows from op_params, which hold strides, paddings and dilations (in this order) for each of so many dimensions.
args::window_args window_of(const ggml_tensor * dst, int dimensions);

}  // namespace ggml_directx
