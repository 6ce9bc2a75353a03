#include "d3d12/device.h"

#include "d3d12/platform/runtime.h"
#include "d3d12/profiler.h"
#include "ops/step.h"

namespace ggml_directx::d3d12 {

// One root signature for every kernel: b0 holds the constants, u0 ... u7 the buffers, t0 the codebooks, all as root views.
void device::create_root_signature() {
    D3D12_ROOT_PARAMETER parameters[2 + max_bindings]{};
    parameters[0].ParameterType    = D3D12_ROOT_PARAMETER_TYPE_CBV;
    parameters[0].ShaderVisibility = D3D12_SHADER_VISIBILITY_ALL;
    for (uint32_t i = 0; i < max_bindings; ++i) {
        parameters[1 + i].ParameterType             = D3D12_ROOT_PARAMETER_TYPE_UAV;
        parameters[1 + i].Descriptor.ShaderRegister = i;
        parameters[1 + i].ShaderVisibility          = D3D12_SHADER_VISIBILITY_ALL;
    }
    static_assert(codebooks_parameter == 1 + max_bindings);
    parameters[codebooks_parameter].ParameterType    = D3D12_ROOT_PARAMETER_TYPE_SRV;
    parameters[codebooks_parameter].ShaderVisibility = D3D12_SHADER_VISIBILITY_ALL;
    D3D12_ROOT_SIGNATURE_DESC desc{};
    desc.NumParameters = 2 + max_bindings;
    desc.pParameters   = parameters;

    ID3DBlob *              blob      = nullptr;
    ID3DBlob *              complaint = nullptr;
    const HRESULT           hr        = runtime_->serialize_root_signature(desc, &blob, &complaint);
    const com_ptr<ID3DBlob> code(blob);
    const com_ptr<ID3DBlob> text(complaint);
    check(hr, "serialising the root signature");
    check(device_->CreateRootSignature(0, code->GetBufferPointer(), code->GetBufferSize(), __uuidof(ID3D12RootSignature),
                                       root_signature_.out()),
          "creating the root signature");
}

ID3D12PipelineState * device::pipeline(const kernel & k) {
    check(lost_ ? DXGI_ERROR_DEVICE_REMOVED : S_OK, "creating a pipeline");
    std::lock_guard lock(pipelines_mutex_);
    if (pipelines_.size() <= k.index) {
        pipelines_.resize(std::max<size_t>(library_.size(), k.index + 1));
    }
    com_ptr<ID3D12PipelineState> & p = pipelines_[k.index];
    if (!p) {
        const std::span<const uint8_t>    code = library_.code(k);
        D3D12_COMPUTE_PIPELINE_STATE_DESC desc{};
        desc.pRootSignature     = root_signature_.get();
        desc.CS.pShaderBytecode = code.data();
        desc.CS.BytecodeLength  = code.size();
        check(device_->CreateComputePipelineState(&desc, __uuidof(ID3D12PipelineState), p.out()),
              ("creating the pipeline of " + k.name).c_str());
        if (profiler_) {
            profiler_->name(p.get(), k.name);
        }
    }
    return p.get();
}

}  // namespace ggml_directx::d3d12
