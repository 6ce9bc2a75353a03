#include "compiler.h"
#include "windows_library.h"

#include <d3dcommon.h>

#include <sstream>

namespace hlsl {

namespace {

// From d3dcompiler.h, which not every SDK has.
constexpr UINT ieee_strictness     = 1 << 13;
constexpr UINT optimization_level3 = 1 << 15;
constexpr UINT warnings_are_errors = 1 << 18;
constexpr UINT strip_everything    = 1 | 2 | 4;  // reflection, debug information, test blobs

struct macro {
    const char * name;
    const char * value;
};

using compile_function = HRESULT(WINAPI *)(const void * data, SIZE_T size, const char * name, const macro * defines, void * include,
                                           const char * entry, const char * target, UINT flags, UINT effect_flags, ID3D10Blob ** code,
                                           ID3D10Blob ** messages);
using strip_function   = HRESULT(WINAPI *)(const void * code, SIZE_T size, UINT flags, ID3D10Blob ** stripped);

UINT flags_of(const variant & v) {
    return optimization_level3 | warnings_are_errors | (v.strict ? ieee_strictness : 0);
}

class fxc final : public compiler {
public:
    explicit fxc(const std::filesystem::path & dll)
        : library_(dll), compile_(library_.function<compile_function>("D3DCompile")),
          strip_(library_.function<strip_function>("D3DStripShader")) {}

    std::vector<uint8_t> compile(const variant & v, const std::string & text) override {
        std::vector<macro> macros;
        for (const auto & d : v.defines) {
            macros.push_back({ d.first.c_str(), d.second.c_str() });
        }
        macros.push_back({ nullptr, nullptr });

        com<ID3D10Blob> code;
        com<ID3D10Blob> messages;
        const HRESULT   hr = compile_(text.data(), text.size(), v.source.c_str(), macros.data(), nullptr, v.entry.c_str(), "cs_5_1",
                                      flags_of(v), 0, code.put(), messages.put());
        if (hr < 0 || !code) {
            throw compile_error(messages ? message_text(messages->GetBufferPointer(), messages->GetBufferSize())
                                         : "D3DCompile failed without a message, " + hex(hr));
        }
        com<ID3D10Blob> stripped;
        if (strip_(code->GetBufferPointer(), code->GetBufferSize(), strip_everything, stripped.put()) < 0) {
            throw compile_error("D3DStripShader failed");
        }
        const auto * p = static_cast<const uint8_t *>(stripped->GetBufferPointer());
        return { p, p + stripped->GetBufferSize() };
    }

private:
    windows_library  library_;
    compile_function compile_;
    strip_function   strip_;
};

}  // namespace

std::string fxc_options(const variant & v) {
    std::ostringstream out;
    out << "cs_5_1 " << flags_of(v) << " strip " << strip_everything;
    return out.str();
}

std::unique_ptr<compiler> load_fxc(const std::filesystem::path & dll) {
    return std::make_unique<fxc>(dll);
}

}  // namespace hlsl
