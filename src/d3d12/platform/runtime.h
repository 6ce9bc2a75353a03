#pragma once

// The one place that knows which Direct3D 12 this is: Windows', WSL's or vkd3d's.

#include "d3d12/adapter.h"
#include "d3d12/platform/d3d12_headers.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ggml_directx::d3d12 {

// What a fence signals when the GPU gets there.
class event {
public:
    virtual ~event()        = default;
    virtual HANDLE handle() = 0;
    virtual void   wait()   = 0;  // blocks until signalled, then resets
};

class runtime {
public:
    virtual ~runtime() = default;

    const std::string & name() const { return name_; }  // for people: which library computes

    virtual std::vector<adapter> enumerate()                                                                        = 0;
    virtual HRESULT              create_device(const adapter & a, D3D_FEATURE_LEVEL level, REFIID iid, void ** out) = 0;

    // What the operating system says about this process and the adapter; false where it says nothing.
    virtual bool query_budget(const adapter & a, memory_budget & b) = 0;

    // The largest buffer that shaders can reach all of; 0: only what Direct3D itself promises is known.
    virtual uint64_t max_buffer_bytes(const adapter & a) = 0;

    // False where three of Direct3D's promises are not kept (libvkd3d, and wine's Direct3D, which is the same):
    //   - one ExecuteCommandLists sees what the one before it wrote
    //   - any number of queues may wait for one signal
    //   - a fence's value never falls (two signals in flight may be noted in the wrong order)
    virtual bool conforming() const { return true; }

    // Null where fences are waited for without an event: SetEventOnCompletion(value, nullptr) blocks.
    virtual std::unique_ptr<event> create_event() = 0;

    HRESULT serialize_root_signature(const D3D12_ROOT_SIGNATURE_DESC & desc, ID3DBlob ** blob, ID3DBlob ** complaint) {
        return serialize_(&desc, D3D_ROOT_SIGNATURE_VERSION_1_0, blob, complaint);
    }
    HRESULT debug_interface(REFIID iid, void ** out) { return debug_ ? debug_(iid, out) : E_NOINTERFACE; }

protected:
    std::string                        name_;
    PFN_D3D12_CREATE_DEVICE            create_    = nullptr;
    PFN_D3D12_SERIALIZE_ROOT_SIGNATURE serialize_ = nullptr;
    PFN_D3D12_GET_DEBUG_INTERFACE      debug_     = nullptr;
};

// Loads this host's Direct3D 12; `wanted` names a library to take instead of the usual one. Null, with the reason in `why`.
std::shared_ptr<runtime> load_platform(const std::string & wanted, std::string & why);

}  // namespace ggml_directx::d3d12
