#include "random_graph.h"

#include "fuzz.h"

#include "ggml-alloc.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace {

constexpr size_t max_tensors = 1024;

// Of what is rounded to halves at the end, where the last bit of a float decides.
constexpr double half_limit = 1e-5;

int64_t elements(const shape & ne) {
    return ne[0] * ne[1] * ne[2] * ne[3];
}

const ggml_tensor * root_of(const ggml_tensor * t) {
    return t->view_src ? t->view_src : t;
}

bool has_floats(ggml_type type) {
    return type == GGML_TYPE_F32 || ggml_get_type_traits(type)->to_float != nullptr;
}

// An op may read just those elements that have most of the error, and may enlarge it: by how much errors may exceed their sum.
constexpr double enlargement = 8;

// Types that are written by searching a codebook, whose tables take ggml seconds to build.
bool has_codebook(ggml_type type) {
    switch (type) {
        case GGML_TYPE_IQ1_S:
        case GGML_TYPE_IQ1_M:
        case GGML_TYPE_IQ2_XXS:
        case GGML_TYPE_IQ2_XS:
        case GGML_TYPE_IQ2_S:
        case GGML_TYPE_IQ3_XXS:
        case GGML_TYPE_IQ3_S: return true;
        default: return false;
    }
}

// Blocks of such a type: any bits are valid indices, signs and scales; the scale of the whole block is 1/256.
std::vector<uint8_t> codebook_blocks(const ggml_tensor * t, std::mt19937_64 & values) {
    constexpr uint16_t   scale = 0x1c00;
    std::vector<uint8_t> bytes(ggml_nbytes(t));
    std::generate(bytes.begin(), bytes.end(), [&] { return uint8_t(values() >> 20); });
    for (size_t block = 0; block < bytes.size(); block += ggml_type_size(t->type)) {
        if (t->type == GGML_TYPE_IQ1_M) {
            // in the upper four bits of the last four 16-bit values
            for (size_t i = 0; i < 4; ++i) {
                uint8_t & byte = bytes[block + ggml_type_size(t->type) - 7 + 2 * i];
                byte           = uint8_t((byte & 0x0f) | (scale >> 4 * i & 0x0f) << 4);
            }
        } else {
            bytes[block]     = scale & 0xff;
            bytes[block + 1] = scale >> 8;
        }
    }
    return bytes;
}

}  // namespace

random_graph::random_graph(uint64_t seed, size_t first, int more, ggml_backend_t backend)
    : backend_(backend), random_(seed), value_seed_(random_()) {
    ctx_.reset(ggml_init({
        .mem_size   = ggml_tensor_overhead() * max_tensors + ggml_graph_overhead_custom(max_tensors, false),
        .mem_buffer = nullptr,
        .no_alloc   = true,
    }));
    graph_ = ggml_new_graph_custom(ctx_.get(), max_tensors, false);
    add(first);
    for (; more > 0 || results_.empty(); --more) {
        add(below(graph_ops().size()));
    }
    collect_outputs();
}

void random_graph::add(size_t op) {
    const graph_op & o      = graph_ops()[op];
    ggml_tensor *    result = o.make(*this);
    if (!result) {
        return;
    }
    if (!is_supported(result)) {
        refused_.push_back(o.name + describe_tensor(result));
        return;
    }
    // What is read through a view may have been overwritten since, so errors are kept by the memory that they are in.
    const int  known   = ggml_graph_n_nodes(graph_);
    uint64_t   origins = uint64_t(1) << limits_.size();
    const auto add_to  = [&](const ggml_tensor * t) { origins |= origins_.count(root_of(t)) ? origins_[root_of(t)] : 0; };
    const bool rounded = o.limit > 0 && (result->type == GGML_TYPE_F16 || result->type == GGML_TYPE_BF16);
    limits_.push_back(rounded ? std::max(o.limit, half_limit) : o.limit);
    ggml_build_forward_expand(graph_, result);
    results_.push_back(result);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = known; i < ggml_graph_n_nodes(graph_); ++i) {
            const ggml_tensor * t = ggml_graph_node(graph_, i);
            add_to(t);
            for (const ggml_tensor * s : t->src) {
                if (s) {
                    add_to(s);
                }
            }
            if (pass == 1) {
                origins_[root_of(t)] |= origins;
            }
        }
    }
    if (result->type == GGML_TYPE_F32 && ggml_is_contiguous(result) && !ggml_is_empty(result)) {
        if (o.limit > 0) {
            // Bounded, so that a chain of them does not leave the range of floats.
            result = ggml_tanh(ctx_.get(), result);
            ggml_build_forward_expand(graph_, result);
            origins_[result] = origins;
            results_.push_back(result);
        }
        pool_.push_back(result);
    }
}

bool random_graph::is_supported(const ggml_tensor * t) const {
    if (t->op == GGML_OP_NONE || origins_.count(t)) {
        return true;
    }
    // A cast has itself as a source.
    const auto known = [&](const ggml_tensor * s) { return !s || s == t || is_supported(s); };
    return ggml_backend_supports_op(backend_, t) && std::all_of(std::begin(t->src), std::end(t->src), known);
}

// What nothing reads is an output: together they depend on all that was computed. So are some others, whose memory can then
// not be reused.
void random_graph::collect_outputs() {
    std::vector<ggml_tensor *> seen;
    for (ggml_tensor * t : results_) {
        bool read = false;
        for (int i = 0; i < ggml_graph_n_nodes(graph_) && !read; ++i) {
            const ggml_tensor * n = ggml_graph_node(graph_, i);
            read                  = n->view_src == t || (n != t && std::find(std::begin(n->src), std::end(n->src), t) != std::end(n->src));
        }
        // Of a view the memory behind it, which holds what surrounds the view as well.
        ggml_tensor * whole = t->view_src ? t->view_src : t;
        if ((!read || one_in(3)) && std::find(seen.begin(), seen.end(), whole) == seen.end()) {
            seen.push_back(whole);
        }
    }
    for (ggml_tensor * t : seen) {
        double limit = 0;
        for (size_t op = 0; op < limits_.size(); ++op) {
            limit += origins_[t] >> op & 1 ? limits_[op] : 0;
        }
        limit *= std::has_single_bit(origins_[t]) ? 1 : enlargement;
        ggml_set_output(t);
        outputs_.push_back({ t, limit });
    }
}

std::string random_graph::describe() const {
    std::string text;
    for (int i = 0; i < ggml_graph_n_nodes(graph_); ++i) {
        const ggml_tensor * t = ggml_graph_node(graph_, i);
        text += "\n  " + std::to_string(i) + " " + ggml_op_desc(t) + describe_tensor(t) + " <-";
        for (const ggml_tensor * s : t->src) {
            for (int j = 0; s && j < i; ++j) {
                if (ggml_graph_node(graph_, j) == s) {
                    text += " " + std::to_string(j);
                }
            }
            text += s ? describe_tensor(s) : "";
        }
    }
    return text;
}

std::vector<std::vector<float>> random_graph::run() const {
    const ggml_gallocr_ptr alloc(ggml_gallocr_new(ggml_backend_get_default_buffer_type(backend_)));
    if (!ggml_gallocr_alloc_graph(alloc.get(), graph_)) {
        return {};
    }
    std::mt19937_64 values(value_seed_);
    for (const leaf & l : leaves_) {
        fill(values, l);
    }
    if (compute(backend_, graph_) != GGML_STATUS_SUCCESS) {
        return {};
    }
    std::vector<std::vector<float>> results;
    for (const output & o : outputs_) {
        if (has_floats(o.tensor->type)) {
            results.push_back(get_floats(o.tensor));
        } else {
            std::vector<uint8_t> bytes(ggml_nbytes(o.tensor));
            ggml_backend_tensor_get(o.tensor, bytes.data(), 0, bytes.size());
            results.emplace_back(bytes.begin(), bytes.end());
        }
    }
    return results;
}

shape random_graph::some_shape() {
    const auto side = [&] { return one_in(8) ? int64_t(between(60, 130)) : int64_t(between(1, 23)); };
    return { side(), side(), int64_t(between(1, 3)), int64_t(between(1, 3)) };
}

shape random_graph::some_shape_or_empty() {
    shape ne = some_shape();
    if (one_in(12) && !results_.empty()) {
        ne[below(GGML_MAX_DIMS)] = 0;
    }
    return ne;
}

ggml_tensor * random_graph::new_leaf(ggml_type type, const shape & ne, content what, float low, float high, int64_t limit) {
    ggml_tensor * t = ggml_new_tensor(ctx_.get(), type, GGML_MAX_DIMS, ne.data());
    ggml_set_input(t);
    leaves_.push_back({ .tensor = t, .what = what, .low = low, .high = high, .limit = limit });
    return t;
}

ggml_tensor * random_graph::input(ggml_type type, const shape & ne, float low, float high) {
    return new_leaf(type, ne, content::numbers, low, high, 0);
}

ggml_tensor * random_graph::indices(const shape & ne, int64_t limit, bool distinct, ggml_type type) {
    return new_leaf(type, ne, distinct ? content::permutation : content::numbers, 0, 0, limit);
}

ggml_tensor * random_graph::distinct(const shape & ne) {
    return new_leaf(GGML_TYPE_F32, ne, content::permutation, 0, 0, ne[0]);
}

ggml_tensor * random_graph::hadamard(int64_t n) {
    return new_leaf(GGML_TYPE_F32, { n, n, 1, 1 }, content::hadamard, 0, 0, 0);
}

ggml_tensor * random_graph::image(ggml_type type, const shape & ne) {
    ggml_tensor * t = input(type, ne);
    if (one_in(3) && backend_ == directx_stream()) {
        return ggml_permute(ctx_.get(), ggml_cont(ctx_.get(), ggml_permute(ctx_.get(), t, 1, 2, 0, 3)), 2, 0, 1, 3);
    }
    return t;
}

// Half of the time what was picked before: accesses to the same memory shall follow one another.
ggml_tensor * random_graph::pick() {
    if (pool_.empty()) {
        return nullptr;
    }
    latest_ = one_in(2) ? latest_ : below(pool_.size());
    return pool_[latest_];
}

ggml_tensor * random_graph::operand(const shape & ne, const ggml_tensor * apart) {
    const int64_t count = elements(ne);
    for (int tries = one_in(4) ? 0 : 4; tries > 0 && count > 0; --tries) {
        ggml_tensor * t    = pick();
        const int64_t room = t ? ggml_nelements(t) - count : -1;
        if (room >= 0 && (!apart || root_of(t) != root_of(apart))) {
            return ggml_view_4d(ctx_.get(), t, ne[0], ne[1], ne[2], ne[3], size_t(ne[0]) * 4, size_t(ne[0] * ne[1]) * 4,
                                size_t(ne[0] * ne[1] * ne[2]) * 4, size_t(below(uint64_t(room) + 1)) * 4);
        }
    }
    return input(GGML_TYPE_F32, ne);
}

ggml_tensor * random_graph::strided(const shape & ne, const ggml_tensor * apart) {
    return make_strided(ne, [&](const shape & whole) { return operand(whole, apart); });
}

ggml_tensor * random_graph::strided_input(const shape & ne) {
    return make_strided(ne, [&](const shape & whole) { return input(GGML_TYPE_F32, whole); });
}

ggml_tensor * random_graph::make_strided(const shape & ne, const std::function<ggml_tensor *(const shape &)> & make) {
    switch (below(4)) {
        case 0: {
            // ggml_permute: axis i of the argument becomes axis order[i] of the result
            std::array<int, 3> order = { 1, 2, 3 };
            std::swap(order[below(3)], order[below(3)]);
            shape from = ne;
            for (size_t i = 0; i < order.size(); ++i) {
                from[i + 1] = ne[size_t(order[i])];
            }
            return ggml_permute(ctx_.get(), make(from), 0, order[0], order[1], order[2]);
        }
        case 1: {
            const std::array<int, 4> padding = { between(0, 3), between(0, 2), between(0, 1), between(0, 1) };
            ggml_tensor *            t       = make({ ne[0] + padding[0], ne[1] + padding[1], ne[2] + padding[2], ne[3] + padding[3] });
            size_t                   offset  = 0;
            for (size_t i = 0; i < padding.size(); ++i) {
                offset += size_t(between(0, padding[i])) * t->nb[i];
            }
            return ggml_view_4d(ctx_.get(), t, ne[0], ne[1], ne[2], ne[3], t->nb[1], t->nb[2], t->nb[3], offset);
        }
        default: return make(ne);
    }
}

ggml_tensor * random_graph::spaced(const shape & ne) {
    const int     gap = between(0, 3);
    ggml_tensor * t   = operand({ ne[0] + gap, ne[1], ne[2], ne[3] });
    return ggml_view_4d(ctx_.get(), t, ne[0], ne[1], ne[2], ne[3], t->nb[1], t->nb[2], t->nb[3], size_t(between(0, gap)) * t->nb[0]);
}

ggml_tensor * random_graph::target() {
    ggml_tensor * t = pick();
    if (!t) {
        return nullptr;
    }
    const int64_t n      = ggml_nelements(t);
    const int64_t length = int64_t(below(uint64_t(std::min<int64_t>(n, 300)))) + 1;
    const int64_t stride = length + between(0, 5);
    const int64_t rows   = 1 + int64_t(below(uint64_t((n - length) / stride) + 1));
    const int64_t room   = n - (rows - 1) * stride - length;
    return ggml_view_2d(ctx_.get(), t, length, rows, size_t(stride) * 4, size_t(below(uint64_t(room) + 1)) * 4);
}

void random_graph::fill(std::mt19937_64 & values, const leaf & l) const {
    ggml_tensor * t = l.tensor;
    const int64_t n = ggml_nelements(t);
    if (!t->buffer || n == 0) {  // nothing reads it, or there is nothing
        return;
    }
    if (has_codebook(t->type)) {
        const std::vector<uint8_t> bytes = codebook_blocks(t, values);
        ggml_backend_tensor_set(t, bytes.data(), 0, bytes.size());
        return;
    }
    std::vector<int64_t> numbers(size_t(n), 0);
    const int64_t        row = t->ne[0];
    if (l.what == content::permutation) {
        std::vector<int64_t> order(static_cast<size_t>(l.limit));
        for (int64_t first = 0; first < n; first += row) {
            std::iota(order.begin(), order.end(), 0);
            std::shuffle(order.begin(), order.end(), values);
            std::copy_n(order.begin(), row, numbers.begin() + first);
        }
    } else {
        std::generate(numbers.begin(), numbers.end(), [&] { return int64_t(values() >> 20); });
    }
    const auto set_integers = [&](auto kind) {
        std::vector<decltype(kind)> data(numbers.size());
        std::transform(numbers.begin(), numbers.end(), data.begin(), [&](int64_t v) { return decltype(kind)(v % l.limit); });
        ggml_backend_tensor_set(t, data.data(), 0, ggml_nbytes(t));
    };
    switch (t->type) {
        case GGML_TYPE_I8: return set_integers(int8_t());
        case GGML_TYPE_I16: return set_integers(int16_t());
        case GGML_TYPE_I32: return set_integers(int32_t());
        case GGML_TYPE_I64: return set_integers(int64_t());
        default: break;
    }
    std::vector<float> data(numbers.size());
    for (size_t i = 0; i < data.size(); ++i) {
        switch (l.what) {
            case content::numbers: data[i] = l.low + (l.high - l.low) * float(numbers[i] % 8193) / 8192.0f; break;
            case content::permutation: data[i] = float(numbers[i] - row / 2) * 0.1f; break;
            case content::hadamard:
                data[i] = (std::popcount(i / size_t(row) & i % size_t(row)) % 2 ? -1.0f : 1.0f) / std::sqrt(float(row));
                break;
        }
    }
    set_floats(t, data);
}
