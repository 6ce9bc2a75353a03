#pragma once

// A model compiled by ONNX Runtime, and its runs over ggml's memory.

#include "onnx/model.h"
#include "onnx/runtime/runtime.h"
#include "onnx/weights.h"

#include <memory>
#include <string>
#include <vector>

namespace ggml_directx::onnx {

// Serves every model of its structure whose numbers and shapes are those it was made with, except for those that it takes
// at each run. Thread-safe: ONNX Runtime's sessions are.
class session {
public:
    // `free`: which of the model's variables differ from run to run, one for each; none: all fixed. Throws error.
    session(const runtime & rt, const ep_device & dev, weight_store & weights, const model & m, std::vector<bool> free);

    bool serves(const model & m) const;

    const fingerprint &          structure() const { return structure_; }
    const std::vector<bool> &    free() const { return free_; }
    const std::vector<int64_t> & variables() const { return variables_; }
    const runtime &              rt() const { return runtime_; }

private:
    friend class run;

    const runtime &                                     runtime_;
    fingerprint                                         structure_;
    std::vector<int64_t>                                variables_;
    std::vector<bool>                                   free_;
    std::vector<std::shared_ptr<const prepared_weight>> weights_;
    std::vector<std::string>                            input_names_;
    std::vector<std::string>                            output_names_;
    std::vector<const char *>                           input_pointers_;
    std::vector<const char *>                           output_pointers_;
    handle<OrtSession>                                  session_{ nullptr, releaser{} };
};

// A session with the memory that a graph reads and writes. Not thread-safe.
class run {
public:
    // The model must be one that the session serves; nothing of it is kept.
    run(std::shared_ptr<session> s, const model & m);

    // Blocks until the results are there. Throws error.
    void execute();

private:
    struct conversion {
        const void *       from;
        ggml_type          type;
        std::vector<float> to;
    };
    struct detour {
        std::vector<uint8_t> from;
        void *               to;
    };

    std::shared_ptr<session>          session_;
    std::vector<handle<OrtValue>>     inputs_;
    std::vector<handle<OrtValue>>     outputs_;
    std::vector<const OrtValue *>     input_pointers_;
    std::vector<OrtValue *>           output_pointers_;
    std::vector<conversion>           conversions_;  // quantised tensors that are no constants
    std::vector<detour>               detours_;      // outputs whose memory is read in the same run
    std::vector<std::vector<int64_t>> numbers_;
};

}  // namespace ggml_directx::onnx
