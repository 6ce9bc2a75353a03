#include "compiler.h"

#include "dxc_interfaces.h"

#include <d3dcompiler.h>
#include <windows.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

namespace hlsl {

namespace {

constexpr const char * tier_defines[] = { "51", "60", "66" };

// What the options below are called in a cache key: change one with the other.
constexpr const char * options_version = "1: O3 WX ieee";

std::wstring widen(const std::string & text) {
    return { text.begin(), text.end() };  // paths and defines are ASCII
}

HMODULE load(const std::string & path) {
    const std::string native = std::filesystem::path(path).make_preferred().string();
    HMODULE           module = LoadLibraryExA(native.c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
    if (!module) {
        throw std::runtime_error("cannot load " + path + " (error " + std::to_string(GetLastError()) + ")");
    }
    return module;
}

template <typename function>
function find(HMODULE module, const char * name) {
    // through void *: GCC warns about casts between function types
    return reinterpret_cast<function>(reinterpret_cast<void *>(GetProcAddress(module, name)));
}

template <typename T>
struct releaser {
    T * p = nullptr;
    ~releaser() {
        if (p) {
            p->Release();
        }
    }
    T * operator->() const { return p; }
};

// Finds includes for fxc beside the file that names them.
struct fxc_includes : ID3DInclude {
    source_tree &                       sources;
    std::string                         top;
    std::map<const void *, std::string> opened;  // text handed out -> its path

    fxc_includes(source_tree & tree, std::string path) : sources(tree), top(std::move(path)) {}

    HRESULT STDMETHODCALLTYPE Open(D3D_INCLUDE_TYPE, LPCSTR name, LPCVOID parent, LPCVOID * data, UINT * size) override {
        const auto        from = opened.find(parent);
        const std::string path = sources.resolve(name, from == opened.end() ? top : from->second);
        if (path.empty()) {
            return E_FAIL;
        }
        const std::string * text = sources.read(path);
        opened[text->data()]     = path;
        *data                    = text->data();
        *size                    = UINT(text->size());
        return S_OK;
    }
    HRESULT STDMETHODCALLTYPE Close(LPCVOID) override { return S_OK; }
};

// The same for dxc, which hands over a path made of the including file's folder and the name.
struct dxc_includes final : IDxcIncludeHandler {
    source_tree & sources;
    IDxcUtils *   utils;

    dxc_includes(source_tree & tree, IDxcUtils * u) : sources(tree), utils(u) {}
    virtual ~dxc_includes() = default;

    HRESULT STDMETHODCALLTYPE LoadSource(LPCWSTR name, IDxcBlob ** result) override {
        const std::wstring wide(name);
        const std::string  path = std::filesystem::path(std::string(wide.begin(), wide.end())).lexically_normal().generic_string();
        const std::string * text = sources.read(path);
        if (!text) {
            return E_FAIL;
        }
        IDxcBlobEncoding * blob = nullptr;
        const HRESULT      hr   = utils->CreateBlob(text->data(), UINT32(text->size()), DXC_CP_UTF8, &blob);
        *result                 = blob;
        return hr;
    }
    // lives on the stack of compile()
    HRESULT STDMETHODCALLTYPE QueryInterface(REFIID, void ** object) override {
        *object = this;
        return S_OK;
    }
    ULONG STDMETHODCALLTYPE AddRef() override { return 1; }
    ULONG STDMETHODCALLTYPE Release() override { return 1; }
};

std::vector<uint8_t> bytes_of(const void * data, size_t size) {
    const auto * first = static_cast<const uint8_t *>(data);
    return { first, first + size };
}

}  // namespace

struct compiler::impl {
    source_tree &                                                  sources;
    HRESULT (WINAPI * d3d_compile)(LPCVOID, SIZE_T, LPCSTR, const D3D_SHADER_MACRO *, ID3DInclude *, LPCSTR, LPCSTR, UINT, UINT, ID3DBlob **, ID3DBlob **);
    releaser<IDxcUtils>                                            utils;
    releaser<IDxcCompiler3>                                        dxc;

    std::vector<uint8_t> compile_dxbc(const variant & v);
    std::vector<uint8_t> compile_dxil(const variant & v);
};

compiler::compiler(const std::string & folder, source_tree & sources) : impl_(new impl{ sources, nullptr, {}, {} }) {
    const HMODULE fxc  = load(folder + "/d3dcompiler_47.dll");
    impl_->d3d_compile = find<decltype(impl_->d3d_compile)>(fxc, "D3DCompile");
    load(folder + "/dxil.dll");  // the validator that signs; dxcompiler looks for it by name
    const HMODULE dxc    = load(folder + "/dxcompiler.dll");
    const auto    create = find<HRESULT(WINAPI *)(REFCLSID, REFIID, void **)>(dxc, "DxcCreateInstance");
    if (!impl_->d3d_compile || !create || create(CLSID_DxcUtils, IID_IDxcUtils, reinterpret_cast<void **>(&impl_->utils.p)) < 0 ||
        create(CLSID_DxcCompiler, IID_IDxcCompiler3, reinterpret_cast<void **>(&impl_->dxc.p)) < 0) {
        throw std::runtime_error("the compilers in " + folder + " lack what is needed: D3DCompile, IDxcUtils, IDxcCompiler3");
    }
}

compiler::~compiler() = default;

std::vector<uint8_t> compiler::compile(const variant & v) {
    return v.level == tier::sm51 ? impl_->compile_dxbc(v) : impl_->compile_dxil(v);
}

std::vector<uint8_t> compiler::impl::compile_dxbc(const variant & v) {
    const std::string             path = sources.root() + "/" + v.source;
    const std::string *           text = sources.read(path);
    std::vector<D3D_SHADER_MACRO> macros;
    for (const auto & [name, value] : v.defines) {
        macros.push_back({ name.c_str(), value.c_str() });
    }
    macros.push_back({ "TIER", tier_defines[int(v.level)] });
    macros.push_back({ nullptr, nullptr });

    fxc_includes       includes(sources, path);
    releaser<ID3DBlob> code;
    releaser<ID3DBlob> messages;
    constexpr UINT     flags = D3DCOMPILE_OPTIMIZATION_LEVEL3 | D3DCOMPILE_WARNINGS_ARE_ERRORS | D3DCOMPILE_IEEE_STRICTNESS;
    const HRESULT      hr = d3d_compile(text->data(), text->size(), path.c_str(), macros.data(), &includes, v.entry.c_str(), "cs_5_1", flags, 0,
                                        &code.p, &messages.p);
    if (hr < 0) {
        throw std::runtime_error(messages.p ? std::string(static_cast<const char *>(messages->GetBufferPointer())) : "D3DCompile failed");
    }
    return bytes_of(code->GetBufferPointer(), code->GetBufferSize());
}

std::vector<uint8_t> compiler::impl::compile_dxil(const variant & v) {
    const std::string         path = sources.root() + "/" + v.source;
    const std::string *       text = sources.read(path);
    std::vector<std::wstring> words = { widen(path), L"-E", widen(v.entry), L"-T", v.level == tier::sm66 ? L"cs_6_6" : L"cs_6_0",
                                        L"-O3", L"-WX", L"-Gis", L"-Qstrip_debug", L"-I", widen(sources.root()),
                                        L"-D", L"TIER=" + widen(tier_defines[int(v.level)]) };
    if (v.level == tier::sm66) {
        words.push_back(L"-enable-16bit-types");
    }
    for (const auto & [name, value] : v.defines) {
        words.push_back(L"-D");
        words.push_back(widen(name + "=" + value));
    }
    std::vector<LPCWSTR> arguments;
    for (const std::wstring & word : words) {
        arguments.push_back(word.c_str());
    }

    dxc_includes         includes(sources, utils.p);
    const DxcBuffer      buffer = { text->data(), text->size(), DXC_CP_UTF8 };
    releaser<IDxcResult> result;
    if (dxc->Compile(&buffer, arguments.data(), UINT32(arguments.size()), &includes, IID_IDxcResult, reinterpret_cast<void **>(&result.p)) < 0) {
        throw std::runtime_error("IDxcCompiler3::Compile failed");
    }
    HRESULT status = E_FAIL;
    result->GetStatus(&status);
    if (status < 0) {
        releaser<IDxcBlobEncoding> errors;
        result->GetErrorBuffer(&errors.p);
        throw std::runtime_error(errors.p ? std::string(static_cast<const char *>(errors->GetBufferPointer()), errors->GetBufferSize()) : "dxc failed");
    }
    releaser<IDxcBlob> code;
    result->GetResult(&code.p);
    std::vector<uint8_t> bytes = bytes_of(code->GetBufferPointer(), code->GetBufferSize());
    // A container starts with its name and 16 bytes of hash. Zero: nobody validated it, and a retail Windows refuses it.
    constexpr uint8_t unsigned_hash[16] = {};
    if (bytes.size() < 20 || std::memcmp(bytes.data() + 4, unsigned_hash, sizeof(unsigned_hash)) == 0) {
        throw std::runtime_error("dxc left the shader unsigned: is dxil.dll missing?");
    }
    return bytes;
}

std::string compiler::identity(const std::string & folder) {
    std::string text = options_version;
    for (const char * name : { "d3dcompiler_47.dll", "dxcompiler.dll", "dxil.dll" }) {
        std::ifstream file(folder + "/" + name, std::ios::binary);
        // DOS header, then the COFF header with the time stamp of the link: enough to tell versions apart
        std::string head(4096, '\0');
        file.read(head.data(), std::streamsize(head.size()));
        file.seekg(0, std::ios::end);
        text += " " + std::string(name) + " " + std::to_string(std::streamoff(file.tellg())) + " " + head;
    }
    return text;
}

}  // namespace hlsl
