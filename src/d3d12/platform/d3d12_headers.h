#pragma once

// Direct3D 12's declarations from DirectX-Headers, for the three hosts:
//   Windows       windows.h and the compiler's own COM
//   WSL           Microsoft's stubs; libd3d12.so follows the System V calling convention   (GGML_DIRECTX_WSL)
//   other Linux   the same stubs; libvkd3d keeps to Microsoft's x64 calling convention
//
// COM methods that return a structure by value are never called: compilers disagree about how it is passed.

#if defined(_WIN32)

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <unknwn.h>

#else

#include <basetsd.h>

#if !defined(GGML_DIRECTX_WSL)
// The stubs leave these empty, as WSL wants it.
#undef STDMETHODCALLTYPE
#undef STDAPICALLTYPE
#undef WINAPI
#undef __stdcall
#define STDMETHODCALLTYPE __attribute__((ms_abi))
#define STDAPICALLTYPE    __attribute__((ms_abi))
#define WINAPI            __attribute__((ms_abi))
#define __stdcall __attribute__((ms_abi))
#endif

#include <unknwn.h>

#endif

#include <directx/d3d12.h>
#include <directx/dxcore_interface.h>

// Interface ids for compilers without __declspec(uuid).
#if !defined(_MSC_VER)
#include <dxguids/dxguids.h>
#endif

// Common words that the headers define as macros.
#undef interface
#undef IN
#undef OUT
#undef CONST
#undef near
#undef far
