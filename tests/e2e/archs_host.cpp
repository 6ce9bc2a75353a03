// What test-llama-archs leaves to whoever builds it.

#include "ggml-backend.h"
#include "llama.h"

#include <dlfcn.h>

namespace {

// It expects its backends to be linked in: with backends that are loaded it would see no device at all.
const bool loaded = [] {
    ggml_backend_load_all();
    return true;
}();

}  // namespace

// It asks for four threads. On fewer cores they wait for one another more than they compute: one is faster then, and its
// results are the same.
extern "C" llama_context * llama_init_from_model(llama_model * model, llama_context_params params) {
    static const auto next = reinterpret_cast<decltype(&llama_init_from_model)>(dlsym(RTLD_NEXT, "llama_init_from_model"));
    params.n_threads       = 1;
    params.n_threads_batch = 1;
    return next(model, params);
}
