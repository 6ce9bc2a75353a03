#pragma once

#include "d3d12/device.h"
#include "d3d12/stream.h"

#include "ggml-backend-impl.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace ggml_directx {

// What a ggml device of ours carries: the Direct3D device, its buffer types, and the stream that serves the synchronous
// buffer functions, which belong to no ggml backend. Thread-safe.
class device_context {
public:
    device_context(std::unique_ptr<d3d12::device> dev, std::string name, std::string description);

    d3d12::device &     device() { return *device_; }
    const std::string & name() const { return name_; }
    const std::string & description() const { return description_; }
    const std::string & host_name() const { return host_name_; }

    // Runs `body` with the transfer stream, one caller at a time, and lets later work of every stream wait for it.
    template <typename body_type> void transfer(body_type && body) {
        std::lock_guard lock(transfers_mutex_);
        body(transfers_);
        const d3d12::sync_point point = transfers_.record();
        std::lock_guard         points_lock(points_mutex_);
        published_ = point;
    }

    // Makes a stream wait, on the GPU, for all transfers so far. `seen` is the stream's memory of the last one.
    void await_transfers(d3d12::stream & s, d3d12::sync_point & seen);

    // Notes how far a stream has got, so that memory is not freed under it; forget_stream when it goes.
    void note_progress(const d3d12::stream * s, const d3d12::sync_point & point);
    void forget_stream(const d3d12::stream * s);

    // Blocks until a point of any stream of this device is reached.
    void synchronize(const d3d12::sync_point & point);
    // Blocks until all noted work is done.
    void synchronize_all();

    // Mapped system memory that the GPU can copy from and to; named by its address, which is what ggml keeps.
    void * allocate_host_memory(size_t size);
    void   release_host_memory(void * base);

    ggml_backend_buffer_type buffer_type{};
    ggml_backend_buffer_type host_buffer_type{};

private:
    std::unique_ptr<d3d12::device> device_;
    std::string                    name_;
    std::string                    description_;
    std::string                    host_name_;

    std::mutex    transfers_mutex_;
    d3d12::stream transfers_;

    std::mutex                                         points_mutex_;
    d3d12::sync_point                                  published_;
    std::map<const d3d12::stream *, d3d12::sync_point> progress_;

    std::mutex                                       host_mutex_;
    std::map<void *, std::unique_ptr<d3d12::buffer>> host_memory_;
};

// The context of a ggml device.
inline device_context & context_of(ggml_backend_dev_t dev) {
    return *static_cast<device_context *>(dev->context);
}

}  // namespace ggml_directx
