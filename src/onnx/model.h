#pragma once

// An ONNX model in the making: nodes over numbered values, as plain data. No ONNX Runtime is needed.
//
// What moves from token to token (shapes, slice bounds) is kept apart from the structure: two models of one structure can be
// served by one session that takes the differing numbers as inputs.

#include "graph/fingerprint.h"

#include "ggml.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace ggml_directx::onnx {

// Element types, by ONNX's numbers.
enum class element : uint8_t { none = 0, f32 = 1, u8 = 2, i8 = 3, i16 = 5, i32 = 6, i64 = 7, boolean = 9, f16 = 10, bf16 = 16 };

size_t size_of(element e);

// Names a value of its model.
struct value {
    int32_t  id = -1;
    explicit operator bool() const { return id >= 0; }
    bool     operator==(const value &) const = default;
};

struct attribute {
    const char *                                                         name;
    std::variant<int64_t, float, std::string_view, std::vector<int64_t>> data;
};

// ONNX's order: outermost first; always ggml's four dimensions for tensors.
using dims = std::vector<int64_t>;

// What is made of a weight that a session holds as a constant.
enum class weight_form : uint8_t {
    plain,         // as it is, or as f32 where ONNX has no such type; [ne3, ne2, ne1, ne0]
    transposed,    // f32 [ne0, ne1], what MatMul takes
    transposed16,  // the same rounded to f16
    nbits,         // MatMulNBits' packed integers, [ne1, blocks, bytes of a block]
    nbits_scale,   // one f32 a block, [ne1 * blocks]
    nbits_zero,    // packed zero points of 4 bits, [ne1, bytes for the blocks of a row]
};

struct weight_source {
    const void *           data = nullptr;
    ggml_type              type = GGML_TYPE_COUNT;
    std::array<int64_t, 4> ne{};
    weight_form            form                                    = weight_form::plain;
    uint8_t                bits                                    = 0;  // nbits: how it is packed
    uint8_t                block                                   = 0;
    bool                   fresh                                   = false;  // nbits: quantised anew, not the file's own integers
    std::string            name                                    = {};     // for messages
    bool                   operator==(const weight_source &) const = default;
};

// A tensor in host memory that a session reads.
struct model_input {
    value        id;
    const void * data = nullptr;
    size_t       size = 0;                // bytes in memory
    ggml_type    type = GGML_TYPE_COUNT;  // what lies there; a quantised type is handed over as f32
    dims         shape;
    bool         is_numbers = false;  // one of the model's own number vectors; data points to it
};

// A tensor in host memory that a session writes.
struct model_output {
    value  id;
    void * data = nullptr;
    size_t size = 0;
    dims   shape;
    value  updates;  // the input that this output is an updated version of, in the same memory; none for others
    value  base;     // and the node's input that the update was applied to: the input itself, or a reshaped view of it
};

struct model_node {
    const char *           op;
    const char *           domain;
    std::vector<value>     inputs;
    std::vector<attribute> attributes;
    value                  output;  // the first one; more follow it
    int                    n_outputs = 1;
    bool                   live      = false;
};

class model {
public:
    static constexpr const char * onnx_domain      = "";
    static constexpr const char * microsoft_domain = "com.microsoft";

    // An equal node is made once. `type`: of the outputs; by default the first input's.
    value add(const char * op, std::vector<value> inputs, std::vector<attribute> attributes = {}, element type = element::none,
              const char * domain = onnx_domain, int n_outputs = 1);

    // A vector of i64 that may differ between models of one structure.
    value numbers(std::vector<int64_t> data);

    // A constant that is part of the structure.
    value literal(element type, dims shape, const void * data);
    value scalar(float x);
    value scalar_i64(int64_t x);

    value weight(const weight_source & source, element type, dims shape);

    // The same memory and shape is one input.
    value input(const void * data, size_t size, ggml_type source_type, element type, dims shape);

    void output(value v, void * data, size_t size, dims shape, value updates = {}, value base = {});

    element type_of(value v) const { return values_[size_t(v.id)].type; }

    // A value's shape, where it was noted; else empty, as a scalar's is.
    const dims & shape_of(value v) const { return values_[size_t(v.id)].shape; }
    void         note_shape(value v, dims shape) { values_[size_t(v.id)].shape = std::move(shape); }

    // What a Reshape was made of; none for other values.
    value reshaped_from(value v) const;

    // Marks what the outputs need, and computes structure() and variables(). Nothing may be added afterwards.
    void finish();

    // Equal for models that differ in numbers and shapes alone.
    const fingerprint & structure() const { return structure_; }
    // The numbers of live number vectors, then the shapes of inputs and outputs.
    const std::vector<int64_t> & variables() const { return variables_; }

    // How many live consumers a value has; outputs count.
    int uses_of(value v) const { return values_[size_t(v.id)].uses; }

    // After finish(): what is live, in an order that is the same for all models of one structure.
    const std::vector<model_node> &   nodes() const { return nodes_; }  // look at `live`
    const std::vector<model_input> &  inputs() const { return live_inputs_; }
    const std::vector<model_output> & outputs() const { return outputs_; }

    struct constant {
        value                id;
        element              type = element::none;
        dims                 shape;
        std::vector<uint8_t> bytes;   // a literal's
        weight_source        weight;  // else
        bool                 live = false;
    };
    const std::vector<constant> & constants() const { return constants_; }

    struct number_vector {
        value                id;
        std::vector<int64_t> data;
        bool                 live  = false;
        size_t               first = 0;  // in variables()
    };
    const std::vector<number_vector> & number_vectors() const { return numbers_; }

    // Names values the same in all models of one structure.
    uint32_t canonical(value v) const { return values_[size_t(v.id)].canonical; }

private:
    enum class kind : uint8_t { node, numbers, constant, input };

    struct value_info {
        element  type;
        kind     from;
        uint32_t index;  // in nodes_, numbers_, constants_ or inputs_
        dims     shape     = {};
        int      uses      = 0;
        uint32_t canonical = UINT32_MAX;
    };

    value make_value(element type, kind from, size_t index);
    bool  mark(value v);
    value find_equal(uint64_t hash, const model_node & n) const;

    std::vector<value_info>                     values_;
    std::vector<model_node>                     nodes_;
    std::vector<number_vector>                  numbers_;
    std::vector<constant>                       constants_;
    std::vector<model_input>                    inputs_;
    std::vector<model_input>                    live_inputs_;
    std::vector<model_output>                   outputs_;
    std::unordered_multimap<uint64_t, uint32_t> known_nodes_;
    fingerprint                                 structure_;
    std::vector<int64_t>                        variables_;
};

}  // namespace ggml_directx::onnx
