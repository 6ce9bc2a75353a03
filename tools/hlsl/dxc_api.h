#pragma once

// The part of dxcompiler.dll's interface that the driver calls. Declared here because mingw-w64 has no dxcapi.h;
// only the layout matters, so what is never called has no types.

#include "windows_library.h"

namespace hlsl::dxc_api {

constexpr GUID clsid_compiler = { 0x73e22d93, 0xe6ce, 0x47f3, { 0xb5, 0xbf, 0xf0, 0x66, 0x4f, 0x39, 0xc1, 0xb0 } };
constexpr GUID iid_compiler3  = { 0x228b4687, 0x5a6a, 0x4730, { 0x90, 0x0c, 0x97, 0x02, 0xb2, 0x20, 0x3f, 0x54 } };
constexpr GUID iid_result     = { 0x58346cda, 0xdde7, 0x4497, { 0x94, 0x61, 0x6f, 0x87, 0xaf, 0x5e, 0x06, 0x59 } };
constexpr GUID iid_blob       = { 0x8ba5fb08, 0x5195, 0x40e2, { 0xac, 0x58, 0x0d, 0x98, 0x9c, 0x3a, 0x01, 0x02 } };
constexpr GUID iid_blob_utf8  = { 0x3da636c9, 0xba71, 0x4024, { 0xa3, 0x01, 0x30, 0xcb, 0xf1, 0x25, 0x30, 0x5b } };

constexpr UINT32 code_page_utf8 = 65001;

enum output : UINT32 { output_object = 1, output_errors = 2 };

struct buffer {
    const void * data;
    SIZE_T       size;
    UINT         encoding;
};

struct blob : IUnknown {
    virtual void * STDMETHODCALLTYPE GetBufferPointer() = 0;
    virtual SIZE_T STDMETHODCALLTYPE GetBufferSize()    = 0;
};

struct blob_utf8 : blob {
    virtual HRESULT STDMETHODCALLTYPE      GetEncoding(BOOL * known, UINT32 * code_page) = 0;
    virtual const char * STDMETHODCALLTYPE GetStringPointer()                            = 0;
    virtual SIZE_T STDMETHODCALLTYPE       GetStringLength()                             = 0;
};

struct result : IUnknown {
    virtual HRESULT STDMETHODCALLTYPE GetStatus(HRESULT * status)                                            = 0;
    virtual HRESULT STDMETHODCALLTYPE GetResult(void ** result)                                              = 0;
    virtual HRESULT STDMETHODCALLTYPE GetErrorBuffer(void ** errors)                                         = 0;
    virtual BOOL STDMETHODCALLTYPE    HasOutput(UINT32 kind)                                                 = 0;
    virtual HRESULT STDMETHODCALLTYPE GetOutput(UINT32 kind, const GUID & iid, void ** object, void ** name) = 0;
};

struct compiler3 : IUnknown {
    virtual HRESULT STDMETHODCALLTYPE Compile(const buffer * source, LPCWSTR * arguments, UINT32 count, void * include, const GUID & iid,
                                              void ** result) = 0;
};

using create_function = HRESULT(WINAPI *)(const GUID & clsid, const GUID & iid, void ** object);

}  // namespace hlsl::dxc_api
