// The two functions that ggml looks up in a backend library.

#include "ggml/registry.h"

extern "C" {

GGML_BACKEND_API ggml_backend_reg_t ggml_backend_init(void);
GGML_BACKEND_API int                ggml_backend_score(void);

ggml_backend_reg_t ggml_backend_init(void) {
    return ggml_directx::registry();
}

// One build serves every machine, so there is nothing to rank: 1. Also without Direct3D, where the registry says in the log
// that there is no device, rather than ggml that the library is unsupported.
int ggml_backend_score(void) {
    return 1;
}
}
