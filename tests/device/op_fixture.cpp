#include "op_fixture.h"

#include "ggml/device_context.h"
#include "ggml/registry.h"

#include "ggml-backend.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace ggml_directx {

namespace {

// Quick, since there may be millions of elements; the same in every process.
class number_stream {
public:
    explicit number_stream(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

    float next() {  // [0, 1)
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return float(state_ >> 40) * 0x1p-24f;
    }

private:
    uint64_t state_;
};

void set_floats(ggml_tensor * t, const std::vector<float> & v) {
    const ggml_type_traits * traits = ggml_get_type_traits(t->type);
    if (t->type == GGML_TYPE_F32) {
        ggml_backend_tensor_set(t, v.data(), 0, ggml_nbytes(t));
        return;
    }
    std::vector<uint8_t> bytes(ggml_nbytes(t));
    traits->from_float_ref(v.data(), bytes.data(), int64_t(v.size()));
    ggml_backend_tensor_set(t, bytes.data(), 0, bytes.size());
}

// Fills with value(i) for element i.
template <typename value_function> std::function<void(ggml_tensor *)> filler(const value_function & value) {
    return [value](ggml_tensor * t) {
        std::vector<float> v(static_cast<size_t>(ggml_nelements(t)));
        value_function     next = value;
        for (size_t i = 0; i < v.size(); ++i) {
            v[i] = next(i);
        }
        set_floats(t, v);
    };
}

template <typename word> void set_indices(ggml_tensor * t, int64_t below, int64_t step) {
    std::vector<word> v(static_cast<size_t>(ggml_nelements(t)));
    for (size_t i = 0; i < v.size(); ++i) {
        v[i] = word(below > 0 ? int64_t(i) % t->ne[0] * step % below : 0);
    }
    ggml_backend_tensor_set(t, v.data(), 0, ggml_nbytes(t));
}

ggml_backend_t with_two_threads(ggml_backend_t backend) {
    ggml_backend_reg_t reg = ggml_backend_dev_backend_reg(ggml_backend_get_device(backend));
    const auto set = reinterpret_cast<ggml_backend_set_n_threads_t>(ggml_backend_reg_get_proc_address(reg, "ggml_backend_set_n_threads"));
    if (set) {
        set(backend, 2);
    }
    return backend;
}

bool supports(ggml_backend_t backend, const op_maker & make) {
    op_builder    b;
    ggml_tensor * result = make(b);
    ggml_cgraph * graph  = ggml_new_graph(b.ctx());
    ggml_build_forward_expand(graph, result);
    for (int i = 0; i < ggml_graph_n_nodes(graph); ++i) {
        if (!ggml_backend_supports_op(backend, ggml_graph_node(graph, i))) {
            return false;
        }
    }
    return true;
}

}  // namespace

op_builder::op_builder()
    : ctx_(ggml_init({ .mem_size = ggml_tensor_overhead() * 32 + ggml_graph_overhead(), .mem_buffer = nullptr, .no_alloc = true })) {}

ggml_tensor * op_builder::leaf(ggml_type type, const shape & ne, std::function<void(ggml_tensor *)> fill) {
    ggml_tensor * t = ggml_new_tensor(ctx(), type, GGML_MAX_DIMS, ne.data());
    fills_.push_back([t, f = std::move(fill)] { f(t); });
    return t;
}

ggml_tensor * op_builder::values(ggml_type type, const shape & ne) {
    return leaf(type, ne, filler([s = number_stream(fills_.size())](size_t) mutable { return s.next() * 2.0f - 1.0f; }));
}

ggml_tensor * op_builder::positive(const shape & ne) {
    return leaf(GGML_TYPE_F32, ne, filler([s = number_stream(fills_.size())](size_t) mutable { return s.next() + 0.5f; }));
}

ggml_tensor * op_builder::distinct(const shape & ne) {
    constexpr uint32_t mask = (1u << 23) - 1;
    return leaf(GGML_TYPE_F32, ne, filler([](size_t i) { return float((uint32_t(i) * 2654435761u) & mask) * 0x1p-22f - 1.0f; }));
}

ggml_tensor * op_builder::constant(const shape & ne, float value) {
    return leaf(GGML_TYPE_F32, ne, filler([value](size_t) { return value; }));
}

ggml_tensor * op_builder::indices(ggml_type type, const shape & ne, int64_t below, int64_t step) {
    return leaf(type, ne, [below, step](ggml_tensor * t) {
        t->type == GGML_TYPE_I64 ? set_indices<int64_t>(t, below, step) : set_indices<int32_t>(t, below, step);
    });
}

void op_builder::fill() const {
    for (const auto & f : fills_) {
        f();
    }
}

ggml_backend_t device_stream() {
    static const ggml_backend_ptr stream(ggml_backend_dev_init(ggml_backend_reg_dev_get(registry(), 0), nullptr));
    return stream.get();
}

d3d12::device & tested_device() {
    return context_of(ggml_backend_get_device(device_stream())).device();
}

ggml_backend_t cpu_stream() {
    static const ggml_backend_ptr stream([] {
        ggml_backend_load_all();
        return with_two_threads(ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, nullptr));
    }());
    return stream.get();
}

bool device_supports(const op_maker & make) {
    return supports(device_stream(), make);
}

bool cpu_supports(const op_maker & make) {
    return supports(cpu_stream(), make);
}

std::vector<float> result_of(ggml_backend_t backend, const op_maker & make) {
    op_builder    b;
    ggml_tensor * result = make(b);
    ggml_cgraph * graph  = ggml_new_graph(b.ctx());
    ggml_build_forward_expand(graph, result);
    const ggml_backend_buffer_ptr memory(ggml_backend_alloc_ctx_tensors(b.ctx(), backend));
    if (memory) {                                       // else all of it is empty
        ggml_backend_buffer_clear(memory.get(), 0x3f);  // no result must be what was there before
        b.fill();
    }
    EXPECT_EQ(GGML_STATUS_SUCCESS, ggml_backend_graph_compute(backend, graph));

    const auto         n = size_t(ggml_nelements(result));
    std::vector<float> v(n);
    if (n == 0) {
        return v;
    }
    std::vector<uint8_t> bytes(ggml_nbytes(result));
    ggml_backend_tensor_get(result, bytes.data(), 0, bytes.size());
    switch (result->type) {
        case GGML_TYPE_F32: std::memcpy(v.data(), bytes.data(), bytes.size()); break;
        case GGML_TYPE_I32:
            for (size_t i = 0; i < n; ++i) {
                v[i] = float(reinterpret_cast<const int32_t *>(bytes.data())[i]);
            }
            break;
        case GGML_TYPE_I64:
            for (size_t i = 0; i < n; ++i) {
                v[i] = float(reinterpret_cast<const int64_t *>(bytes.data())[i]);
            }
            break;
        default: ggml_get_type_traits(result->type)->to_float(bytes.data(), v.data(), int64_t(n));
    }
    return v;
}

double relative_error(const std::vector<float> & expected, const std::vector<float> & got) {
    double difference = 0.0;
    double power      = 0.0;
    for (size_t i = 0; i < expected.size(); ++i) {
        if (!std::isfinite(expected[i]) || !std::isfinite(got[i])) {
            const bool same = expected[i] == got[i] || (std::isnan(expected[i]) && std::isnan(got[i]));
            if (!same) {
                return std::numeric_limits<double>::infinity();
            }
            continue;
        }
        difference += (double(expected[i]) - double(got[i])) * (double(expected[i]) - double(got[i]));
        power += double(expected[i]) * double(expected[i]);
    }
    return difference == 0.0 ? 0.0 : difference / power;
}

}  // namespace ggml_directx
