#pragma once

// Microsoft's two HLSL compilers, loaded from their DLLs.

#include "catalogue.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace hlsl {

// The compiler refused the shader; what() is its message.
class compile_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// One for each thread.
class compiler {
public:
    virtual ~compiler() = default;

    // The container that CreateComputePipelineState takes.
    virtual std::vector<uint8_t> compile(const variant & v, const std::string & text) = 0;
};

// All options that change the code, as text: part of the cache's key.
std::string fxc_options(const variant & v);
std::string dxc_options(const variant & v);

// d3dcompiler_47.dll, tier sm51.
std::unique_ptr<compiler> load_fxc(const std::filesystem::path & dll);

// dxcompiler.dll, the other tiers. It must sign what it makes: releases before February 2025 need a dxil.dll beside it.
std::unique_ptr<compiler> load_dxc(const std::filesystem::path & dll);

}  // namespace hlsl
