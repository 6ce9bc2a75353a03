#include "onnx/session.h"

#include <algorithm>
#include <cstring>

namespace ggml_directx::onnx {

namespace {

// Smaller constants are copied: ONNX's shape inference reads them.
constexpr size_t min_external = 128;

constexpr int opset           = 21;
constexpr int microsoft_opset = 1;

ONNXTensorElementDataType ort_type(element e) {
    return static_cast<ONNXTensorElementDataType>(e);
}

class builder {
public:
    builder(const runtime & rt, const model & m) : rt_(rt), m_(m) {}

    std::string name(value v) const { return v ? "v" + std::to_string(m_.canonical(v)) : ""; }

    handle<OrtValueInfo> info(value v, const dims & shape) const {
        OrtTensorTypeAndShapeInfo * tensor = nullptr;
        rt_.check(rt_.api().CreateTensorTypeAndShapeInfo(&tensor));
        const auto owned_tensor = rt_.own(tensor);
        rt_.check(rt_.api().SetTensorElementType(tensor, ort_type(m_.type_of(v))));
        rt_.check(rt_.api().SetDimensions(tensor, shape.data(), shape.size()));
        OrtTypeInfo * type = nullptr;
        rt_.check(rt_.editor().CreateTensorTypeInfo(tensor, &type));
        const auto     owned_type = rt_.own(type);
        OrtValueInfo * result     = nullptr;
        rt_.check(rt_.editor().CreateValueInfo(name(v).c_str(), type, &result));
        return rt_.own(result);
    }

    handle<OrtOpAttr> attribute_of(const attribute & a) const {
        const void *  data = nullptr;
        int           n    = 1;
        OrtOpAttrType type = ORT_OP_ATTR_INT;
        if (const auto * i = std::get_if<int64_t>(&a.data)) {
            data = i;
        } else if (const auto * f = std::get_if<float>(&a.data)) {
            data = f;
            type = ORT_OP_ATTR_FLOAT;
        } else if (const auto * s = std::get_if<std::string_view>(&a.data)) {
            data = s->data();
            n    = int(s->size());
            type = ORT_OP_ATTR_STRING;
        } else {
            const auto & list = std::get<std::vector<int64_t>>(a.data);
            data              = list.data();
            n                 = int(list.size());
            type              = ORT_OP_ATTR_INTS;
        }
        OrtOpAttr * result = nullptr;
        rt_.check(rt_.api().CreateOpAttr(a.name, data, n, type, &result));
        return rt_.own(result);
    }

    handle<OrtNode> node(const model_node & n) const {
        std::vector<std::string> names;
        for (value v : n.inputs) {
            names.push_back(name(v));
        }
        for (int i = 0; i < n.n_outputs; ++i) {
            const value v{ n.output.id + i };
            names.push_back(m_.uses_of(v) > 0 ? name(v) : "unused" + std::to_string(v.id));
        }
        std::vector<const char *> pointers;
        for (const std::string & s : names) {
            pointers.push_back(s.c_str());
        }
        std::vector<handle<OrtOpAttr>> owned;
        std::vector<OrtOpAttr *>       attributes;
        for (const attribute & a : n.attributes) {
            owned.push_back(attribute_of(a));
            attributes.push_back(owned.back().get());
        }
        OrtNode *    result   = nullptr;
        const size_t n_inputs = n.inputs.size();
        OrtStatus *  status =
            rt_.editor().CreateNode(n.op, n.domain, (std::string(n.op) + "_" + names[n_inputs]).c_str(), pointers.data(), n_inputs,
                                    pointers.data() + n_inputs, size_t(n.n_outputs), attributes.data(), attributes.size(), &result);
        for (size_t i = 0; i < attributes.size(); ++i) {
            if (!attributes[i]) {
                static_cast<void>(owned[i].release());  // the node took it, whatever the header says
            }
        }
        rt_.check(status);
        return rt_.own(result);
    }

    void initializer(OrtGraph * graph, value v, const dims & shape, element type, const void * data, size_t size) const {
        const bool external = size >= min_external;
        auto       tensor   = external ? rt_.wrap(const_cast<void *>(data), size, shape.data(), shape.size(), ort_type(type))
                                       : rt_.copy(data, size, shape.data(), shape.size(), ort_type(type));
        rt_.check(rt_.editor().AddInitializerToGraph(graph, name(v).c_str(), tensor.get(), external));
        static_cast<void>(tensor.release());
    }

private:
    const runtime & rt_;
    const model &   m_;
};

// A shape in which what differs from run to run is left open.
dims declared(const dims & shape, const std::vector<bool> & free, size_t & at) {
    dims d = shape;
    for (int64_t & n : d) {
        if (!free.empty() && free[at]) {
            n = -1;
        }
        ++at;
    }
    return d;
}

bool any_free(const std::vector<bool> & free, size_t first, size_t n) {
    return !free.empty() &&
           std::find(free.begin() + ptrdiff_t(first), free.begin() + ptrdiff_t(first + n), true) != free.begin() + ptrdiff_t(first + n);
}

struct range {
    uintptr_t begin;
    uintptr_t end;

    range(const void * data, size_t size) : begin(reinterpret_cast<uintptr_t>(data)), end(begin + size) {}
    bool overlaps(const range & o) const { return begin < o.end && o.begin < end; }
};

}  // namespace

session::session(const runtime & rt, const ep_device & dev, weight_store & weights, const model & m, std::vector<bool> free)
    : runtime_(rt), structure_(m.structure()), variables_(m.variables()), free_(std::move(free)) {
    const builder b(rt, m);
    OrtGraph *    graph = nullptr;
    rt.check(rt.editor().CreateGraph(&graph));
    auto owned_graph = rt.own(graph);

    std::vector<handle<OrtValueInfo>> infos;
    size_t                            at = 0;
    for (const model::number_vector & n : m.number_vectors()) {
        if (!n.live) {
            continue;
        }
        at = n.first + n.data.size();
        if (any_free(free_, n.first, n.data.size())) {
            infos.push_back(b.info(n.id, { int64_t(n.data.size()) }));
            input_names_.push_back(b.name(n.id));
        } else {
            const std::vector<int64_t> & baked  = n.data;
            const int64_t                size[] = { int64_t(baked.size()) };
            // copied whatever its size: the model goes before the session does
            auto tensor = rt.copy(baked.data(), baked.size() * sizeof(int64_t), size, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
            rt.check(rt.editor().AddInitializerToGraph(graph, b.name(n.id).c_str(), tensor.get(), false));
            static_cast<void>(tensor.release());
        }
    }
    for (const model_input & i : m.inputs()) {
        infos.push_back(b.info(i.id, declared(i.shape, free_, at)));
        input_names_.push_back(b.name(i.id));
    }
    std::vector<OrtValueInfo *> inputs;
    for (handle<OrtValueInfo> & i : infos) {
        inputs.push_back(i.release());
    }
    rt.check(rt.editor().SetGraphInputs(graph, inputs.data(), inputs.size()));

    std::vector<OrtValueInfo *> outputs;
    for (const model_output & o : m.outputs()) {
        outputs.push_back(b.info(o.id, declared(o.shape, free_, at)).release());
        output_names_.push_back(b.name(o.id));
    }
    rt.check(rt.editor().SetGraphOutputs(graph, outputs.data(), outputs.size()));

    for (const model::constant & c : m.constants()) {
        if (!c.live) {
            continue;
        }
        if (c.weight.data) {
            weights_.push_back(weights.get(c.weight));
        } else {
            auto copy  = std::make_shared<prepared_weight>();
            copy->size = c.bytes.size();
            copy->own  = std::make_unique_for_overwrite<uint8_t[]>(c.bytes.size());
            std::memcpy(copy->own.get(), c.bytes.data(), c.bytes.size());
            copy->data = copy->own.get();
            weights_.push_back(copy);
        }
        b.initializer(graph, c.id, c.shape, c.type, weights_.back()->data, weights_.back()->size);
    }
    for (const model_node & n : m.nodes()) {
        if (n.live) {
            handle<OrtNode> node = b.node(n);
            rt.check(rt.editor().AddNodeToGraph(graph, node.get()));
            static_cast<void>(node.release());
        }
    }

    const char * domains[]  = { model::onnx_domain, model::microsoft_domain };
    const int    versions[] = { opset, microsoft_opset };
    OrtModel *   ort_model  = nullptr;
    rt.check(rt.editor().CreateModel(domains, versions, 2, &ort_model));
    const auto owned_model = rt.own(ort_model);
    rt.check(rt.editor().AddGraphToModel(ort_model, graph));
    static_cast<void>(owned_graph.release());

    // Every session would have its own copies. They gain MatMul nothing (measured with one row and with 512), but
    // MatMulNBits' products in integers need them.
    const bool                      repack  = std::any_of(m.nodes().begin(), m.nodes().end(),
                                                          [](const model_node & n) { return n.live && std::strcmp(n.op, "MatMulNBits") == 0; });
    const handle<OrtSessionOptions> options = rt.session_options(dev, repack);
    OrtSession *                    made    = nullptr;
    rt.check(rt.editor().CreateSessionFromModel(const_cast<OrtEnv *>(rt.environment()), ort_model, options.get(), &made));
    session_ = rt.own(made);

    for (const std::string & s : input_names_) {
        input_pointers_.push_back(s.c_str());
    }
    for (const std::string & s : output_names_) {
        output_pointers_.push_back(s.c_str());
    }
}

bool session::serves(const model & m) const {
    if (!(structure_ == m.structure()) || variables_.size() != m.variables().size()) {
        return false;
    }
    if (free_.empty()) {
        return variables_ == m.variables();
    }
    for (size_t i = 0; i < variables_.size(); ++i) {
        if (!free_[i] && variables_[i] != m.variables()[i]) {
            return false;
        }
    }
    return true;
}

run::run(std::shared_ptr<session> s, const model & m) : session_(std::move(s)) {
    const runtime & rt = session_->runtime_;
    for (const model::number_vector & n : m.number_vectors()) {
        if (n.live && any_free(session_->free_, n.first, n.data.size())) {
            numbers_.push_back(n.data);
            std::vector<int64_t> & copy   = numbers_.back();
            const int64_t          size[] = { int64_t(copy.size()) };
            inputs_.push_back(rt.wrap(copy.data(), copy.size() * sizeof(int64_t), size, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64));
        }
    }
    for (const model_input & i : m.inputs()) {
        void * data = const_cast<void *>(i.data);
        size_t size = i.size;
        if (ggml_is_quantized(i.type)) {
            int64_t n = 1;
            for (int64_t d : i.shape) {
                n *= d;
            }
            conversions_.push_back({ i.data, i.type, std::vector<float>(size_t(n)) });
            data = conversions_.back().to.data();
            size = size_t(n) * sizeof(float);
        }
        inputs_.push_back(rt.wrap(data, size, i.shape.data(), i.shape.size(), ort_type(m.type_of(i.id))));
    }
    const std::vector<model_output> & outputs = m.outputs();
    for (size_t k = 0; k < outputs.size(); ++k) {
        const model_output & o        = outputs[k];
        const range          written  = { o.data, o.size };
        const bool           in_place = o.updates && m.uses_of(o.updates) == 1 && m.uses_of(o.base) == 1;
        // ONNX Runtime chooses the order of nodes, so what is read may not lie where something is written
        bool hazard = false;
        for (const model_input & i : m.inputs()) {
            hazard |= written.overlaps({ i.data, i.size }) && !(in_place && i.id == o.updates);
        }
        for (size_t other = 0; other < outputs.size(); ++other) {
            hazard |= other != k && written.overlaps({ outputs[other].data, outputs[other].size });
        }
        void * data = o.data;
        if (hazard) {
            detours_.push_back({ std::vector<uint8_t>(o.size), o.data });
            data = detours_.back().from.data();
        }
        outputs_.push_back(rt.wrap(data, o.size, o.shape.data(), o.shape.size(), ort_type(m.type_of(o.id))));
    }
    for (const handle<OrtValue> & v : inputs_) {
        input_pointers_.push_back(v.get());
    }
    for (const handle<OrtValue> & v : outputs_) {
        output_pointers_.push_back(v.get());
    }
}

void run::execute() {
    for (conversion & c : conversions_) {
        to_float(c.type, c.from, c.to.data(), int64_t(c.to.size()));
    }
    const runtime & rt = session_->runtime_;
    rt.check(rt.api().Run(session_->session_.get(), nullptr, session_->input_pointers_.data(), input_pointers_.data(),
                          input_pointers_.size(), session_->output_pointers_.data(), output_pointers_.size(), output_pointers_.data()));
    for (const detour & d : detours_) {
        std::memcpy(d.to, d.from.data(), d.from.size());
    }
}

}  // namespace ggml_directx::onnx
