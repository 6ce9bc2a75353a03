#include "compiler.h"
#include "dxc_api.h"

#include <algorithm>

namespace hlsl {

namespace {

std::vector<std::string> arguments_of(const variant & v) {
    std::vector<std::string> args = {
        "-T", v.tier == 1 ? "cs_6_0" : "cs_6_6", "-E", v.entry, "-O3", "-WX", "-HV", "2021", "-Qstrip_debug", "-Qstrip_reflect",
    };
    if (v.tier == 2) {
        args.push_back("-enable-16bit-types");
    }
    if (v.strict) {
        args.push_back("-Gis");
    }
    return args;
}

// Bytes 4 to 19 of a container are its signature; a retail Windows takes none that is all zero.
bool is_signed(const std::vector<uint8_t> & container) {
    return container.size() > 20 && std::any_of(container.begin() + 4, container.begin() + 20, [](uint8_t b) { return b != 0; });
}

class dxc final : public compiler {
public:
    explicit dxc(const std::filesystem::path & dll) : library_(dll) {
        const auto    create = library_.function<dxc_api::create_function>("DxcCreateInstance");
        const HRESULT hr     = create(dxc_api::clsid_compiler, dxc_api::iid_compiler3, compiler_.put_void());
        if (hr < 0) {
            throw std::runtime_error(dll.string() + ": has no IDxcCompiler3, " + hex(hr));
        }
    }

    std::vector<uint8_t> compile(const variant & v, const std::string & text) override {
        std::vector<std::string> args = arguments_of(v);
        for (const auto & d : v.defines) {
            args.push_back("-D");
            args.push_back(d.first + "=" + d.second);
        }
        args.insert(args.begin(), v.source);

        std::vector<std::wstring> wide;  // all of it is ASCII: the catalogue allows nothing else
        std::vector<LPCWSTR>      pointers;
        for (const std::string & a : args) {
            wide.emplace_back(a.begin(), a.end());
        }
        for (const std::wstring & a : wide) {
            pointers.push_back(a.c_str());
        }

        const dxc_api::buffer source = { text.data(), text.size(), dxc_api::code_page_utf8 };
        com<dxc_api::result>  result;
        HRESULT hr = compiler_->Compile(&source, pointers.data(), UINT32(pointers.size()), nullptr, dxc_api::iid_result, result.put_void());
        HRESULT status = hr;
        if (hr >= 0) {
            hr = result->GetStatus(&status);
        }
        if (hr < 0 || status < 0) {
            com<dxc_api::blob_utf8> errors;
            if (result) {
                result->GetOutput(dxc_api::output_errors, dxc_api::iid_blob_utf8, errors.put_void(), nullptr);
            }
            const std::string message = errors ? message_text(errors->GetStringPointer(), errors->GetStringLength()) : "";
            throw compile_error(message.empty() ? "dxcompiler failed without a message, " + hex(hr < 0 ? hr : status) : message);
        }

        com<dxc_api::blob> object;
        if (result->GetOutput(dxc_api::output_object, dxc_api::iid_blob, object.put_void(), nullptr) < 0 || !object) {
            throw compile_error("dxcompiler returned no code");
        }
        const auto *         p = static_cast<const uint8_t *>(object->GetBufferPointer());
        std::vector<uint8_t> code(p, p + object->GetBufferSize());
        if (!is_signed(code)) {
            throw compile_error("the code is not signed, so Windows would refuse it: this dxcompiler.dll needs a dxil.dll beside it");
        }
        return code;
    }

private:
    windows_library         library_;
    com<dxc_api::compiler3> compiler_;
};

}  // namespace

std::string dxc_options(const variant & v) {
    std::string all;
    for (const std::string & a : arguments_of(v)) {
        all += a + " ";
    }
    return all;
}

std::unique_ptr<compiler> load_dxc(const std::filesystem::path & dll) {
    return std::make_unique<dxc>(dll);
}

}  // namespace hlsl
