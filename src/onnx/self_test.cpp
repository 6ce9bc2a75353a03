#include "onnx/self_test.h"

#include "onnx/session.h"

#include <cmath>
#include <memory>

namespace ggml_directx::onnx {

// y = x w + x, with x and w 32 x 32: products, a constant, a sum.
std::string self_test(const runtime & rt, const ep_device & dev) {
    constexpr int64_t  n = 32;
    std::vector<float> x(size_t(n * n));
    std::vector<float> w(size_t(n * n));
    std::vector<float> y(size_t(n * n), NAN);
    for (size_t i = 0; i < x.size(); ++i) {
        x[i] = float(i % 7) - 3.0f;
        w[i] = float(i % 5) - 2.0f;
    }
    try {
        model       m;
        const value in  = m.input(x.data(), x.size() * sizeof(float), GGML_TYPE_F32, element::f32, { n, n });
        const value dot = m.add("MatMul", { in, m.literal(element::f32, { n, n }, w.data()) });
        m.output(m.add("Add", { dot, in }), y.data(), y.size() * sizeof(float), { n, n });
        m.finish();
        weight_store weights;
        run          r(std::make_shared<session>(rt, dev, weights, m, std::vector<bool>()), m);
        r.execute();
    } catch (const std::exception & e) {
        return e.what();
    }
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) {
            float expected = x[size_t(i * n + j)];
            for (int64_t k = 0; k < n; ++k) {
                expected += x[size_t(i * n + k)] * w[size_t(k * n + j)];
            }
            // whole numbers below 2048: exact in f16 too, up to the order of sums
            if (!(std::fabs(y[size_t(i * n + j)] - expected) <= 1.0f)) {
                return "it computes " + std::to_string(y[size_t(i * n + j)]) + " where " + std::to_string(expected) + " is right";
            }
        }
    }
    return {};
}

}  // namespace ggml_directx::onnx
