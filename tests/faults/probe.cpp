// Loads the plug-in as any ggml program would and does what its arguments say, one after the other; faults.py starts it with
// a fault injected and reads what it prints. Answers go to stdout, ggml's log to stderr.
//
// PROBE_DEVICES says which devices, by what their names begin with: DirectX, unless it says ONNX.
//
//   cpu              loads ggml's other backends too, the CPU's among them
//   devices          how many of these devices there are
//   compute          a small graph on the first: status, and whether the result is right
//   allocate MIB     a buffer of that size on the first
//   unload           frees everything and unloads the plug-in

#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml-cpp.h"
#include "ggml.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

std::string device_names() {
    const char * names = std::getenv("PROBE_DEVICES");
    return names ? names : "DirectX";
}

size_t device_count() {
    size_t n = 0;
    for (size_t i = 0; i < ggml_backend_dev_count(); ++i) {
        n += std::string(ggml_backend_dev_name(ggml_backend_dev_get(i))).starts_with(device_names());
    }
    return n;
}

// y = w * x + x with w the identity times two: three times x.
void compute(ggml_backend_t backend) {
    constexpr int64_t      n = 64;
    const ggml_context_ptr ctx(ggml_init({ .mem_size = 1 << 18, .mem_buffer = nullptr, .no_alloc = true }));
    ggml_tensor *          w     = ggml_new_tensor_2d(ctx.get(), GGML_TYPE_F32, n, n);
    ggml_tensor *          x     = ggml_new_tensor_2d(ctx.get(), GGML_TYPE_F32, n, 3);
    ggml_tensor *          y     = ggml_add(ctx.get(), ggml_mul_mat(ctx.get(), w, x), x);
    ggml_cgraph *          graph = ggml_new_graph(ctx.get());
    ggml_set_input(w);
    ggml_set_input(x);
    ggml_set_output(y);
    ggml_build_forward_expand(graph, y);
    const ggml_gallocr_ptr alloc(ggml_gallocr_new(ggml_backend_get_default_buffer_type(backend)));
    if (!ggml_gallocr_alloc_graph(alloc.get(), graph)) {
        std::printf("compute: no memory\n");
        return;
    }
    std::vector<float> identity(n * n, 0.0f);
    std::vector<float> values(n * 3);
    for (int64_t i = 0; i < n; ++i) {
        identity[i * n + i] = 2.0f;
    }
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = float(i) * 0.25f - 7.0f;
    }
    ggml_backend_tensor_set(w, identity.data(), 0, ggml_nbytes(w));
    ggml_backend_tensor_set(x, values.data(), 0, ggml_nbytes(x));
    const ggml_status  status = ggml_backend_graph_compute(backend, graph);
    std::vector<float> result(values.size());
    ggml_backend_tensor_get(y, result.data(), 0, ggml_nbytes(y));
    bool right = true;
    for (size_t i = 0; i < values.size(); ++i) {
        right = right && std::fabs(result[i] - 3.0f * values[i]) < 1e-4f;
    }
    std::printf("compute: %s, %s\n", ggml_status_to_string(status), right ? "right" : "wrong");
}

void allocate(ggml_backend_dev_t device, size_t mib) {
    const ggml_backend_buffer_ptr buffer(ggml_backend_buft_alloc_buffer(ggml_backend_dev_buffer_type(device), mib << 20));
    std::printf("allocate: %s\n", buffer ? "ok" : "refused");
}

}  // namespace

int main(int argc, char ** argv) {
    const char * plugin = std::getenv("PROBE_PLUGIN");
    if (!plugin) {
        std::fprintf(stderr, "PROBE_PLUGIN must name the plug-in\n");
        return 2;
    }
    ggml_backend_reg_t reg = ggml_backend_load(plugin);
    std::printf("loaded: %s\n", reg ? "yes" : "no");
    ggml_backend_dev_t device = ggml_backend_dev_by_name((device_names() + "0").c_str());
    ggml_backend_ptr   backend(device ? ggml_backend_dev_init(device, nullptr) : nullptr);
    for (int i = 1; i < argc; ++i) {
        const char * what = argv[i];
        if (std::strcmp(what, "devices") == 0) {
            std::printf("devices: %zu\n", device_count());
        } else if (std::strcmp(what, "cpu") == 0) {
            ggml_backend_load_all();
            std::printf("cpu: %s\n", ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU) ? "there" : "missing");
        } else if (std::strcmp(what, "compute") == 0 && backend) {
            compute(backend.get());
        } else if (std::strcmp(what, "allocate") == 0 && i + 1 < argc && device) {
            allocate(device, std::strtoull(argv[++i], nullptr, 10));
        } else if (std::strcmp(what, "unload") == 0 && reg) {
            backend.reset();
            ggml_backend_unload(reg);
            reg = nullptr;
            std::printf("unload: done\n");
        } else {
            std::printf("%s: not possible\n", what);
        }
        std::fflush(stdout);
    }
    return 0;
}
