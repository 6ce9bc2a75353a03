#include "fuzz.h"

#include "ggml-cpp.h"
#include "ggml.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <set>

namespace {

// Ops that no graph can hold, that change no data, or that test-backend-ops does not draw and no kernel is there for.
constexpr ggml_op left_out[] = {
    GGML_OP_NONE,        GGML_OP_RESHAPE,     GGML_OP_VIEW,        GGML_OP_PERMUTE,     GGML_OP_TRANSPOSE,
    GGML_OP_MAP_CUSTOM1, GGML_OP_MAP_CUSTOM2, GGML_OP_MAP_CUSTOM3, GGML_OP_CUSTOM,      GGML_OP_FLASH_ATTN_BACK,
    GGML_OP_WIN_PART,    GGML_OP_WIN_UNPART,  GGML_OP_GET_REL_POS, GGML_OP_ADD_REL_POS,
    GGML_OP_ADD1,  // deprecated in favour of ADD, whose kernel it has
};

// A product with a Hadamard matrix is an op of its own to test-backend-ops; ggml has a hint for it.
constexpr const char * hadamard = "MUL_MAT_HADAMARD";

std::set<std::string> all_ops() {
    std::set<std::string> names = { hadamard };
    for (int op = 0; op < GGML_OP_COUNT; ++op) {
        if (op != GGML_OP_UNARY && op != GGML_OP_GLU && std::find(std::begin(left_out), std::end(left_out), op) == std::end(left_out)) {
            names.insert(ggml_op_name(ggml_op(op)));
        }
    }
    for (int op = 0; op < GGML_UNARY_OP_COUNT; ++op) {
        names.insert(ggml_unary_op_name(ggml_unary_op(op)));
    }
    for (int op = 0; op < GGML_GLU_OP_COUNT; ++op) {
        names.insert(ggml_glu_op_name(ggml_glu_op(op)));
    }
    return names;
}

std::string joined(const std::set<std::string> & names) {
    std::string text;
    for (const std::string & name : names) {
        text += (text.empty() ? "" : " ") + name;
    }
    return text;
}

std::set<std::string> all_types() {
    std::set<std::string> names;
    for (int type = 0; type < GGML_TYPE_COUNT; ++type) {
        // The CPU backend alone has activations of the last two types, and no op takes doubles.
        const bool has_kernels = type != GGML_TYPE_F64 && type != GGML_TYPE_Q8_1 && type != GGML_TYPE_Q8_K;
        if (has_kernels && ggml_type_size(ggml_type(type)) > 0) {
            names.insert(ggml_type_name(ggml_type(type)));
        }
    }
    return names;
}

// Prints how many of `all` have been met; the others are a failure if the run is a `whole` one.
void report(const char * what, const std::set<std::string> & all, const std::set<std::string> & met, bool whole) {
    std::set<std::string> missing;
    std::set_difference(all.begin(), all.end(), met.begin(), met.end(), std::inserter(missing, missing.end()));
    std::printf("%s that ran on DirectX0: %zu of %zu\n", what, all.size() - missing.size(), all.size());
    EXPECT_TRUE(missing.empty() || !whole) << what << " that never ran: " << joined(missing);
}

// The streams, and what has run on the device.
class devices : public testing::Environment {
public:
    void SetUp() override {
        cpu.reset(ggml_backend_dev_init(ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU), nullptr));
        directx.reset(ggml_backend_dev_init(ggml_backend_dev_by_name("DirectX0"), nullptr));
        ASSERT_TRUE(cpu && directx);
        // Graphs this small gain nothing from more threads.
        auto * registry    = ggml_backend_dev_backend_reg(ggml_backend_get_device(cpu.get()));
        auto * set_threads = ggml_backend_set_n_threads_t(ggml_backend_reg_get_proc_address(registry, "ggml_backend_set_n_threads"));
        ASSERT_TRUE(set_threads);
        set_threads(cpu.get(), 1);
    }

    void TearDown() override {
        cpu.reset();
        directx.reset();
        const bool whole = !std::getenv("FUZZ_SEED") && !std::getenv("FUZZ_COUNT") && testing::GTEST_FLAG(filter) == "*";
        std::printf("graphs that ran on DirectX0: %zu\n", graphs);
        report("ops", all_ops(), ops, whole);
        report("types", all_types(), types, whole);
    }

    void note(const ggml_cgraph * graph) {
        ++graphs;
        for (int i = 0; i < ggml_graph_n_nodes(const_cast<ggml_cgraph *>(graph)); ++i) {
            const ggml_tensor * t = ggml_graph_node(const_cast<ggml_cgraph *>(graph), i);
            if (ggml_is_empty(t)) {
                continue;
            }
            const bool hint = t->op == GGML_OP_MUL_MAT && t->op_params[1] == GGML_HINT_SRC0_IS_HADAMARD;
            ops.insert(hint ? hadamard : ggml_op_desc(t));
            for (const ggml_tensor * s : t->src) {
                if (s) {
                    types.insert(ggml_type_name(s->type));
                }
            }
        }
    }

    ggml_backend_ptr      cpu;
    ggml_backend_ptr      directx;
    std::set<std::string> ops;
    std::set<std::string> types;
    size_t                graphs = 0;
};

devices * the_devices = nullptr;  // GoogleTest owns it

uint64_t number_from_environment(const char * name, uint64_t otherwise) {
    const char * text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace

ggml_backend_t cpu_stream() {
    return the_devices->cpu.get();
}

ggml_backend_t directx_stream() {
    return the_devices->directx.get();
}

std::vector<uint64_t> fuzz_seeds(uint64_t default_count) {
    std::vector<uint64_t> seeds(number_from_environment("FUZZ_COUNT", default_count));
    std::iota(seeds.begin(), seeds.end(), number_from_environment("FUZZ_SEED", 1));
    return seeds;
}

ggml_status compute(ggml_backend_t backend, ggml_cgraph * graph) {
    const ggml_status status = ggml_backend_graph_compute(backend, graph);
    if (backend == directx_stream() && status == GGML_STATUS_SUCCESS) {
        the_devices->note(graph);
    }
    return status;
}

void set_floats(ggml_tensor * t, const std::vector<float> & data) {
    if (t->type == GGML_TYPE_F32) {
        ggml_backend_tensor_set(t, data.data(), 0, ggml_nbytes(t));
        return;
    }
    std::vector<uint8_t> bytes(ggml_nbytes(t));
    ggml_quantize_chunk(t->type, data.data(), bytes.data(), 0, ggml_nrows(t), t->ne[0], nullptr);
    ggml_backend_tensor_set(t, bytes.data(), 0, bytes.size());
}

std::vector<float> get_floats(const ggml_tensor * t) {
    std::vector<float>   data(size_t(ggml_nelements(t)), 0.0f);
    std::vector<uint8_t> bytes(ggml_nbytes(t));
    if (bytes.empty()) {
        return data;
    }
    ggml_backend_tensor_get(t, bytes.data(), 0, bytes.size());
    if (t->type == GGML_TYPE_F32) {
        std::copy_n(reinterpret_cast<const float *>(bytes.data()), data.size(), data.data());
    } else {
        ggml_get_type_traits(t->type)->to_float(bytes.data(), data.data(), int64_t(data.size()));
    }
    return data;
}

std::string describe_tensor(const ggml_tensor * t) {
    const bool  strides = !ggml_is_contiguous(t);
    std::string text    = std::string(" ") + ggml_type_name(t->type) + "[";
    for (int i = 0; i < GGML_MAX_DIMS; ++i) {
        text += (i ? " " : "") + std::to_string(t->ne[i]) + (strides ? "/" + std::to_string(t->nb[i]) : "");
    }
    return text + "]" + (t->view_src ? "+" + std::to_string(t->view_offs) : "");
}

double normalised_error(const std::vector<float> & expected, const std::vector<float> & got) {
    double error = 0;
    double norm  = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        const double e = double(expected[i]);
        const double g = double(got[i]);
        if (std::isfinite(e) && std::isfinite(g)) {
            error += (e - g) * (e - g);
            norm += e * e;
        } else if (std::isnan(e) ? !std::isnan(g) : e != g) {
            return INFINITY;
        }
    }
    return error == 0 ? 0 : error / std::max(norm, 1e-9);
}

int main(int argc, char ** argv) {
    testing::InitGoogleTest(&argc, argv);
    ggml_backend_load_all();
    if (const char * plugin = std::getenv("FUZZ_PLUGIN")) {
        ggml_backend_load(plugin);
    }
    if (!ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU) || !ggml_backend_dev_by_name("DirectX0")) {
        std::fprintf(stderr, "needs the CPU backend and a DirectX device\n");
        return 1;
    }
    the_devices = new devices;
    testing::AddGlobalTestEnvironment(the_devices);
    return RUN_ALL_TESTS();
}
