#pragma once

#include <cstdint>
#include <functional>
#include <span>

struct ggml_cgraph;
struct ggml_tensor;

namespace ggml_directx {

// 128 bits: graphs are taken to be equal if their fingerprints are.
struct fingerprint {
    uint64_t a                                     = 0;
    uint64_t b                                     = 0;
    bool     operator==(const fingerprint &) const = default;
};

// Feeds 64-bit words into a fingerprint; order matters.
class hasher {
public:
    void        add(uint64_t word);
    void        add_bytes(std::span<const uint8_t> bytes);
    fingerprint result() const { return state_; }

private:
    fingerprint state_{ 0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu };
};

// Covers all that decides what is computed where: ops, parameters, types, shapes, strides, addresses and buffer
// identities of every node and source. `buffer_id` names a tensor's buffer (an id never used twice; 0 for none).
fingerprint fingerprint_of(const ggml_cgraph * graph, const std::function<uint64_t(const ggml_tensor *)> & buffer_id);

}  // namespace ggml_directx
