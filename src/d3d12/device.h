#pragma once

#include "d3d12/adapter.h"
#include "d3d12/capabilities.h"
#include "d3d12/com.h"
#include "d3d12/memory.h"
#include "kernels/library.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ggml_directx::d3d12 {

class profiler;

// An ID3D12Device with what all of its streams share: the root signature, the pipelines, the budget.
// Thread-safe unless a member says otherwise.
class device {
public:
    // Creates the device and its root signature and asks for its capabilities. Throws d3d12::error.
    device(std::shared_ptr<runtime> rt, const adapter & a, const kernel_library & library);
    ~device();

    device(const device &)             = delete;
    device & operator=(const device &) = delete;

    const adapter &      info() const { return adapter_; }
    const capabilities & caps() const { return caps_; }
    // For tests, which so see small tensors cut: nobody may use the device at the time.
    void                   set_max_span(uint64_t bytes) { caps_.max_span = bytes; }
    ID3D12Device *         handle() const { return device_.get(); }
    runtime &              platform() const { return *runtime_; }
    const kernel_library & library() const { return library_; }
    ID3D12RootSignature *  root_signature() const { return root_signature_.get(); }
    // The address of kernels/codebooks.h's tables, and the root parameter (t0) that every kernel sees them through.
    uint64_t                  codebooks() const { return codebooks_->GetGPUVirtualAddress(); }
    static constexpr uint32_t codebooks_parameter = 9;
    // What queues and lists are made as: compute, or direct where a driver has no compute queues.
    D3D12_COMMAND_LIST_TYPE list_type() const { return list_type_; }
    // Null unless GGML_DIRECTX_PROFILE is set.
    profiler * timing() const { return profiler_.get(); }

    // Runs the self-test kernel on the device and compares what it wrote. Empty if right, else what is wrong.
    std::string self_test();

    // Allocates `size` bytes (rounded up to 256). What is in them is undefined: Windows zeroes, libvkd3d does not. Throws
    // d3d12::error (E_OUTOFMEMORY) beyond the budget or where the runtime refuses.
    std::unique_ptr<buffer> allocate(uint64_t size, memory_kind kind);

    // The pipeline of a kernel, created on first use. Throws d3d12::error if the driver refuses the shader.
    ID3D12PipelineState * pipeline(const kernel & k);

    memory_budget budget() const;
    uint64_t      allocated() const { return allocated_; }  // bytes in live buffers of kind `device`

    // A command queue for one stream. Throws d3d12::error.
    com_ptr<ID3D12CommandQueue> create_queue();

    // Counts a submission; throws when GGML_DIRECTX_FAULT asks for this one to fail, or when the device is lost.
    void before_submission();

    // Once a call has failed with device removal, the device stays lost: everything else throws at once.
    bool lost() const { return lost_; }
    // Throws d3d12::error if hr failed; on removal notes the loss, and puts the reason (and DRED's breadcrumbs) into the message.
    void check(long hr, const char * what);

    // References to COM objects that the d3d12/ layer holds in this process: 0 after all is released.
    static int64_t live_objects();

private:
    friend struct buffer;

    void        create_root_signature();
    void        create_codebooks();
    bool        within_budget(uint64_t size) const;
    std::string removal_report();

    std::shared_ptr<runtime>                  runtime_;
    adapter                                   adapter_;
    const kernel_library &                    library_;
    capabilities                              caps_;
    com_ptr<ID3D12Device>                     device_;
    com_ptr<ID3D12RootSignature>              root_signature_;
    com_ptr<ID3D12Resource>                   codebooks_;
    D3D12_COMMAND_LIST_TYPE                   list_type_ = D3D12_COMMAND_LIST_TYPE_COMPUTE;
    std::unique_ptr<profiler>                 profiler_;
    std::mutex                                pipelines_mutex_;
    std::vector<com_ptr<ID3D12PipelineState>> pipelines_;  // by kernel::index
    std::atomic<uint64_t>                     allocated_{ 0 };
    std::atomic<uint64_t>                     allocations_{ 0 };
    std::atomic<uint64_t>                     submissions_{ 0 };
    std::atomic<bool>                         injecting_{ true };  // off during the self-test, whose work is not the user's
    std::atomic<bool>                         lost_{ false };
};

}  // namespace ggml_directx::d3d12
