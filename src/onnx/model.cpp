#include "onnx/model.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ggml_directx::onnx {

namespace {

void add_text(hasher & h, std::string_view text) {
    h.add_bytes({ reinterpret_cast<const uint8_t *>(text.data()), text.size() });
}

void add_attributes(hasher & h, const std::vector<attribute> & attributes) {
    for (const attribute & a : attributes) {
        add_text(h, a.name);
        h.add(a.data.index());
        if (const auto * i = std::get_if<int64_t>(&a.data)) {
            h.add(uint64_t(*i));
        } else if (const auto * f = std::get_if<float>(&a.data)) {
            h.add(std::bit_cast<uint32_t>(*f));
        } else if (const auto * s = std::get_if<std::string_view>(&a.data)) {
            add_text(h, *s);
        } else {
            for (int64_t n : std::get<std::vector<int64_t>>(a.data)) {
                h.add(uint64_t(n));
            }
        }
    }
}

bool equal(const std::vector<attribute> & a, const std::vector<attribute> & b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const attribute & x, const attribute & y) { return std::strcmp(x.name, y.name) == 0 && x.data == y.data; });
}

}  // namespace

size_t size_of(element e) {
    switch (e) {
        case element::f32:
        case element::i32: return 4;
        case element::i64: return 8;
        case element::f16:
        case element::bf16:
        case element::i16: return 2;
        default: return 1;
    }
}

value model::make_value(element type, kind from, size_t index) {
    values_.push_back({ .type = type, .from = from, .index = uint32_t(index) });
    return { int32_t(values_.size()) - 1 };
}

value model::find_equal(uint64_t hash, const model_node & n) const {
    const auto range = known_nodes_.equal_range(hash);
    for (auto it = range.first; it != range.second; ++it) {
        const model_node & other = nodes_[it->second];
        if (std::strcmp(other.op, n.op) == 0 && std::strcmp(other.domain, n.domain) == 0 && other.inputs == n.inputs &&
            other.n_outputs == n.n_outputs && equal(other.attributes, n.attributes)) {
            return other.output;
        }
    }
    return {};
}

value model::add(const char * op, std::vector<value> inputs, std::vector<attribute> attributes, element type, const char * domain,
                 int n_outputs) {
    hasher h;
    add_text(h, op);
    for (value v : inputs) {
        h.add(uint64_t(v.id));
    }
    add_attributes(h, attributes);
    const uint64_t hash = h.result().a;
    model_node     n{
            .op = op, .domain = domain, .inputs = std::move(inputs), .attributes = std::move(attributes), .output = {}, .n_outputs = n_outputs
    };
    // a cast differs by its attribute, so the type needs no comparing
    if (const value known = find_equal(hash, n)) {
        return known;
    }
    const element out = type == element::none ? type_of(n.inputs[0]) : type;
    for (int i = 0; i < n_outputs; ++i) {
        const value v = make_value(out, kind::node, nodes_.size());
        n.output      = i == 0 ? v : n.output;
    }
    known_nodes_.emplace(hash, uint32_t(nodes_.size()));
    nodes_.push_back(std::move(n));
    return nodes_.back().output;
}

value model::reshaped_from(value v) const {
    const value_info & info = values_[size_t(v.id)];
    if (info.from != kind::node || std::strcmp(nodes_[info.index].op, "Reshape") != 0) {
        return {};
    }
    return nodes_[info.index].inputs[0];
}

value model::numbers(std::vector<int64_t> data) {
    for (const number_vector & n : numbers_) {
        if (n.data == data) {
            return n.id;
        }
    }
    const value v = make_value(element::i64, kind::numbers, numbers_.size());
    numbers_.push_back({ .id = v, .data = std::move(data) });
    return v;
}

value model::literal(element type, dims shape, const void * data) {
    size_t n = 1;
    for (int64_t d : shape) {
        n *= size_t(d);
    }
    const auto *         begin = static_cast<const uint8_t *>(data);
    std::vector<uint8_t> bytes(begin, begin + n * size_of(type));
    for (const constant & c : constants_) {
        if (!c.weight.data && c.type == type && c.shape == shape && c.bytes == bytes) {
            return c.id;
        }
    }
    const value v = make_value(type, kind::constant, constants_.size());
    constants_.push_back({ .id = v, .type = type, .shape = std::move(shape), .bytes = std::move(bytes), .weight = {} });
    return v;
}

value model::scalar(float x) {
    return literal(element::f32, {}, &x);
}

value model::scalar_i64(int64_t x) {
    return literal(element::i64, {}, &x);
}

value model::weight(const weight_source & source, element type, dims shape) {
    for (const constant & c : constants_) {
        if (c.bytes.empty() && c.weight == source) {
            return c.id;
        }
    }
    const value v = make_value(type, kind::constant, constants_.size());
    note_shape(v, shape);
    constants_.push_back({ .id = v, .type = type, .shape = std::move(shape), .bytes = {}, .weight = source });
    return v;
}

value model::input(const void * data, size_t size, ggml_type source_type, element type, dims shape) {
    for (const model_input & i : inputs_) {
        if (data && i.data == data && i.size == size && i.type == source_type && i.shape == shape) {
            return i.id;
        }
    }
    const value v = make_value(type, kind::input, inputs_.size());
    note_shape(v, shape);
    inputs_.push_back({ .id = v, .data = data, .size = size, .type = source_type, .shape = std::move(shape) });
    return v;
}

void model::output(value v, void * data, size_t size, dims shape, value updates, value base) {
    // ONNX wants outputs to come from nodes, each once
    const bool taken = std::any_of(outputs_.begin(), outputs_.end(), [&](const model_output & o) { return o.id == v; });
    if (values_[size_t(v.id)].from != kind::node || taken) {
        const value copy = make_value(type_of(v), kind::node, nodes_.size());
        nodes_.push_back({ .op = "Identity", .domain = onnx_domain, .inputs = { v }, .attributes = {}, .output = copy });
        v = copy;
    }
    outputs_.push_back({ .id = v, .data = data, .size = size, .shape = std::move(shape), .updates = updates, .base = base });
}

// Nodes come after their inputs, so one walk from the last to the first finds all.
void model::finish() {
    for (const model_output & o : outputs_) {
        values_[size_t(o.id.id)].uses++;
    }
    for (size_t i = nodes_.size(); i-- > 0;) {
        model_node & n = nodes_[i];
        for (int k = 0; k < n.n_outputs; ++k) {
            n.live |= values_[size_t(n.output.id + k)].uses > 0;
        }
        if (n.live) {
            for (value v : n.inputs) {
                if (v) {
                    values_[size_t(v.id)].uses++;
                }
            }
        }
    }

    hasher   h;
    uint32_t next = 0;
    for (value_info & v : values_) {
        if (v.uses > 0) {
            v.canonical = next++;
        }
    }
    for (constant & c : constants_) {
        c.live = uses_of(c.id) > 0;
        if (c.live) {
            h.add(canonical(c.id));
            h.add(uint64_t(c.type));
            for (int64_t d : c.shape) {
                h.add(uint64_t(d));
            }
            h.add_bytes(c.bytes);
            h.add(reinterpret_cast<uintptr_t>(c.weight.data));
            h.add(uint64_t(c.weight.type) << 8 | uint64_t(c.weight.form));
        }
    }
    for (number_vector & n : numbers_) {
        n.live = uses_of(n.id) > 0;
        if (n.live) {
            h.add(canonical(n.id));
            h.add(n.data.size());
            n.first = variables_.size();
            variables_.insert(variables_.end(), n.data.begin(), n.data.end());
        }
    }
    const auto add_shape = [&](const dims & shape) {
        h.add(shape.size());
        variables_.insert(variables_.end(), shape.begin(), shape.end());
    };
    for (const model_input & i : inputs_) {
        if (uses_of(i.id) > 0) {
            h.add(canonical(i.id));
            h.add(uint64_t(i.type));
            add_shape(i.shape);
            live_inputs_.push_back(i);
        }
    }
    for (const model_output & o : outputs_) {
        h.add(canonical(o.id));
        h.add(uint64_t(type_of(o.id)));
        add_shape(o.shape);
    }
    for (const model_node & n : nodes_) {
        if (!n.live) {
            continue;
        }
        add_text(h, n.op);
        h.add(uint64_t(n.n_outputs));
        for (value v : n.inputs) {
            h.add(v ? canonical(v) : UINT64_MAX);
        }
        add_attributes(h, n.attributes);
        h.add(values_[size_t(n.output.id)].canonical);
    }
    structure_ = h.result();
}

}  // namespace ggml_directx::onnx
