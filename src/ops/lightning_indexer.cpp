#include "ops/lightning_indexer.h"

#include "kernels/lightning_indexer_args.h"
#include "ops/copy.h"

#include <string>

namespace ggml_directx {

namespace {

constexpr uint32_t group_columns = 32;
constexpr uint32_t max_tokens    = 16;

}  // namespace

bool encode_lightning_indexer(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * q       = dst->src[0];
    const ggml_tensor * k       = dst->src[1];
    const ggml_tensor * weights = dst->src[2];
    const ggml_tensor * mask    = dst->src[3];
    if (q->type != GGML_TYPE_F32 || weights->type != GGML_TYPE_F32 || mask->type != GGML_TYPE_F16 || dst->type != GGML_TYPE_F32 ||
        q->nb[0] != sizeof(float) || k->nb[0] != ggml_type_size(k->type) || k->ne[1] != 1) {
        return false;
    }

    // Decoding a quantised key is little against its products with all heads: it goes through memory, whatever its type.
    const bool        decode  = ggml_is_quantized(k->type);
    region            decoded = {};
    args::tensor_args keys{};
    if (decode) {
        decoded                     = e.scratch(uint64_t(ggml_nelements(k)) * sizeof(float));
        const args::tensor_args src = e.read(k);
        const uint32_t          row = uint32_t(k->ne[0] * sizeof(float));
        keys                        = src;
        keys.nb                     = { sizeof(float), row, row, row * uint32_t(k->ne[2]) };
        keys.offset                 = e.write(decoded);
        if (!encode_decode(e, src, keys, k->type)) {
            return false;
        }
    }

    args::lightning_indexer_args a{};
    a.q = e.read(q);
    if (decode) {
        a.k        = keys;
        a.k.offset = e.read(decoded);
    } else {
        a.k = e.read(k);
    }
    a.weights = e.read(weights);
    a.mask    = e.read(mask);
    a.dst     = e.write(dst);
    a.tokens  = 1;
    while (a.tokens < max_tokens && a.tokens < a.q.ne[2]) {
        a.tokens *= 2;
    }
    const uint64_t work = uint64_t(ggml_nelements(q)) * uint64_t(k->ne[2]);
    return e.dispatch(std::string("lightning_indexer.") + ggml_type_name(decode ? GGML_TYPE_F32 : k->type), a,
                      (uint64_t(k->ne[2]) + group_columns - 1) / group_columns, (uint64_t(a.q.ne[2]) + a.tokens - 1) / a.tokens,
                      uint64_t(q->ne[3]), work);
}

}  // namespace ggml_directx
