#include "ops/timestep_embedding.h"

#include "kernels/timestep_embedding_args.h"

#include <cmath>

namespace ggml_directx {

namespace {

constexpr uint64_t group_size = 64;

}  // namespace

bool encode_timestep_embedding(encoder & e, const ggml_tensor * dst) {
    const ggml_tensor * timesteps  = dst->src[0];
    const int32_t       dimension  = dst->op_params[0];
    const int32_t       max_period = dst->op_params[1];
    if (timesteps->type != GGML_TYPE_F32 || dst->type != GGML_TYPE_F32 || dst->ne[0] != dimension || max_period <= 0 ||
        dst->ne[1] != timesteps->ne[0] || uint64_t(ggml_nelements(dst)) > UINT32_MAX - group_size) {
        return false;
    }
    args::timestep_embedding_args a{};
    a.timesteps  = e.read(timesteps);
    a.dst        = e.write(dst);
    a.half_count = uint32_t(dimension / 2);
    a.columns    = a.half_count + uint32_t(dimension % 2);
    a.n          = a.columns * uint32_t(timesteps->ne[0]);
    a.log_period = -std::log(float(max_period));
    return e.dispatch_linear("timestep_embedding", a, (uint64_t(a.n) + group_size - 1) / group_size);
}

}  // namespace ggml_directx
