#include "graph/fingerprint.h"

#include "ggml-impl.h"
#include "ggml.h"

#include <bit>
#include <cstring>

namespace ggml_directx {

void hasher::add(uint64_t word) {
    // Two independent multiply-rotate chains; constants are large primes.
    state_.a = std::rotl((state_.a ^ word) * 0x9fb21c651e98df25u, 29);
    state_.b = std::rotl((state_.b + word) * 0xd6e8feb86659fd93u, 37) ^ state_.a;
}

void hasher::add_bytes(std::span<const uint8_t> bytes) {
    size_t i = 0;
    for (; i + sizeof(uint64_t) <= bytes.size(); i += sizeof(uint64_t)) {
        uint64_t word;
        std::memcpy(&word, bytes.data() + i, sizeof(word));
        add(word);
    }
    uint64_t tail = bytes.size() - i;
    std::memcpy(reinterpret_cast<uint8_t *>(&tail) + 1, bytes.data() + i, bytes.size() - i);
    add(tail);
}

namespace {

void add_tensor(hasher & h, const ggml_tensor * t, uint64_t buffer) {
    h.add(buffer);
    h.add(reinterpret_cast<uintptr_t>(t->data));
    h.add(uint64_t(t->type));
    for (int i = 0; i < GGML_MAX_DIMS; ++i) {
        h.add(uint64_t(t->ne[i]));
        h.add(uint64_t(t->nb[i]));
    }
}

}  // namespace

fingerprint fingerprint_of(const ggml_cgraph * graph, const std::function<uint64_t(const ggml_tensor *)> & buffer_id) {
    hasher h;
    h.add(uint64_t(graph->n_nodes));
    for (int i = 0; i < graph->n_nodes; ++i) {
        const ggml_tensor * node = graph->nodes[i];
        h.add(uint64_t(node->op) << 32 | uint32_t(node->flags));
        h.add_bytes({ reinterpret_cast<const uint8_t *>(node->op_params), sizeof(node->op_params) });
        add_tensor(h, node, buffer_id(node));
        for (int s = 0; s < GGML_MAX_SRC; ++s) {
            if (node->src[s]) {
                h.add(uint64_t(s));
                add_tensor(h, node->src[s], buffer_id(node->src[s]));
            }
        }
    }
    return h.result();
}

}  // namespace ggml_directx
