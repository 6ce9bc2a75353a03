#pragma once

// The plug-in speaks through ggml's logger. One line a device, every fallback once; debug lines are for developers.

#include "ggml-impl.h"

#define GGML_DIRECTX_LOG_PREFIX "ggml_directx: "
#define LOG_DX_DEBUG(fmt, ...)  GGML_LOG_DEBUG(GGML_DIRECTX_LOG_PREFIX fmt "\n" __VA_OPT__(, ) __VA_ARGS__)
#define LOG_DX_INFO(fmt, ...)   GGML_LOG_INFO(GGML_DIRECTX_LOG_PREFIX fmt "\n" __VA_OPT__(, ) __VA_ARGS__)
#define LOG_DX_WARN(fmt, ...)   GGML_LOG_WARN(GGML_DIRECTX_LOG_PREFIX fmt "\n" __VA_OPT__(, ) __VA_ARGS__)
#define LOG_DX_ERROR(fmt, ...)  GGML_LOG_ERROR(GGML_DIRECTX_LOG_PREFIX fmt "\n" __VA_OPT__(, ) __VA_ARGS__)
