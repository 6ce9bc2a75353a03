#pragma once

// The part of dxcompiler.dll's COM interface that is used here. mingw-w64 has no dxcapi.h; names, order and identifiers are
// the interface's own.

#include <windows.h>

namespace hlsl {

constexpr UINT32 DXC_CP_UTF8 = 65001;

struct DxcBuffer {
    LPCVOID Ptr;
    SIZE_T  Size;
    UINT    Encoding;
};

struct IDxcBlob : IUnknown {
    virtual LPVOID STDMETHODCALLTYPE GetBufferPointer() = 0;
    virtual SIZE_T STDMETHODCALLTYPE GetBufferSize()    = 0;
};

struct IDxcBlobEncoding : IDxcBlob {
    virtual HRESULT STDMETHODCALLTYPE GetEncoding(BOOL * known, UINT32 * code_page) = 0;
};

struct IDxcIncludeHandler : IUnknown {
    virtual HRESULT STDMETHODCALLTYPE LoadSource(LPCWSTR name, IDxcBlob ** source) = 0;
};

struct IDxcOperationResult : IUnknown {
    virtual HRESULT STDMETHODCALLTYPE GetStatus(HRESULT * status)                 = 0;
    virtual HRESULT STDMETHODCALLTYPE GetResult(IDxcBlob ** result)               = 0;
    virtual HRESULT STDMETHODCALLTYPE GetErrorBuffer(IDxcBlobEncoding ** errors) = 0;
};

// Its further functions follow those of IDxcOperationResult and are not called.
struct IDxcResult : IDxcOperationResult {};

struct IDxcCompiler3 : IUnknown {
    virtual HRESULT STDMETHODCALLTYPE Compile(const DxcBuffer * source, LPCWSTR * arguments, UINT32 n_arguments, IDxcIncludeHandler * includes,
                                              REFIID iid, LPVOID * result) = 0;
};

struct IDxcUtils : IUnknown {
    virtual HRESULT STDMETHODCALLTYPE CreateBlobFromBlob(IDxcBlob * blob, UINT32 offset, UINT32 length, IDxcBlob ** result)             = 0;
    virtual HRESULT STDMETHODCALLTYPE CreateBlobFromPinned(LPCVOID data, UINT32 size, UINT32 code_page, IDxcBlobEncoding ** result)     = 0;
    virtual HRESULT STDMETHODCALLTYPE MoveToBlob(LPCVOID data, void * allocator, UINT32 size, UINT32 code_page, IDxcBlobEncoding ** out) = 0;
    virtual HRESULT STDMETHODCALLTYPE CreateBlob(LPCVOID data, UINT32 size, UINT32 code_page, IDxcBlobEncoding ** result)               = 0;
};

constexpr GUID CLSID_DxcUtils    = { 0x6245d6af, 0x66e0, 0x48fd, { 0x80, 0xb4, 0x4d, 0x27, 0x17, 0x96, 0x74, 0x8c } };
constexpr GUID CLSID_DxcCompiler = { 0x73e22d93, 0xe6ce, 0x47f3, { 0xb5, 0xbf, 0xf0, 0x66, 0x4f, 0x39, 0xc1, 0xb0 } };
constexpr GUID IID_IDxcUtils     = { 0x4605c4cb, 0x2019, 0x492a, { 0xad, 0xa4, 0x65, 0xf2, 0x0b, 0xb7, 0xd6, 0x7f } };
constexpr GUID IID_IDxcCompiler3 = { 0x228b4687, 0x5a6a, 0x4730, { 0x90, 0x0c, 0x97, 0x02, 0xb2, 0x20, 0x3f, 0x54 } };
constexpr GUID IID_IDxcResult    = { 0x58346cda, 0xdde7, 0x4497, { 0x94, 0x61, 0x6f, 0x87, 0xaf, 0x5e, 0x06, 0x59 } };

}  // namespace hlsl
