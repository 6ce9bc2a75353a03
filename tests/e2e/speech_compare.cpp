// Runs a whisper.cpp model on DirectX0 and on the CPU, and compares what the encoder and the decoder make of a recording:
//
//   speech-compare MODEL.bin FILE.wav
//
// With and without flash attention; the decoder is given the CPU's choices. The last line of each run says how far apart the
// two are; exit status 1 if that is further than test-backend-ops lets a matrix multiplication be, or if an op ran on the CPU.

// The stock source itself: whisper.h shows neither the encoder's output nor which device an op ran on.
#include "whisper.cpp"

#include <numeric>

// Of the stock examples' common-whisper.h, whose other declarations collide with the source above.
bool read_audio_data(const std::string & fname, std::vector<float> & pcmf32, std::vector<std::vector<float>> & pcmf32s, bool stereo);

namespace {

constexpr double max_nmse = 5e-4;
constexpr int    n_steps  = 12;
// Most of a small vocabulary's logits may be one constant (that of ids not in use), beside which no error would be seen.
constexpr int n_likely = 512;

struct context_deleter {
    void operator()(whisper_context * ctx) const { whisper_free(ctx); }
};

using context_ptr = std::unique_ptr<whisper_context, context_deleter>;

context_ptr open_model(const char * path, bool on_device, bool flash_attn) {
    whisper_context_params params = whisper_context_default_params();
    params.use_gpu                = on_device;
    params.flash_attn             = flash_attn;
    return context_ptr(whisper_init_from_file_with_params(path, params));
}

// Mean squared error, normalised as in test-backend-ops.
double nmse(const std::vector<float> & expected, const std::vector<float> & found) {
    double error = 0.0;
    double power = 0.0;
    for (size_t i = 0; i < std::min(expected.size(), found.size()); ++i) {
        error += (double(found[i]) - expected[i]) * (double(found[i]) - expected[i]);
        power += double(expected[i]) * expected[i];
    }
    return expected.size() == found.size() && power > 0.0 && std::isfinite(error) ? error / power : INFINITY;
}

std::vector<float> encode(whisper_context * ctx, const std::vector<float> & sound, int n_threads) {
    if (whisper_pcm_to_mel(ctx, sound.data(), int(sound.size()), n_threads) != 0 || whisper_encode(ctx, 0, n_threads) != 0) {
        return {};
    }
    const ggml_tensor * output = ctx->state->embd_enc;
    std::vector<float>  values(size_t(ggml_nelements(output)));
    ggml_backend_tensor_get(output, values.data(), 0, ggml_nbytes(output));
    return values;
}

std::vector<float> decode(whisper_context * ctx, const std::vector<whisper_token> & tokens, int n_past, int n_threads) {
    if (whisper_decode(ctx, tokens.data(), int(tokens.size()), n_past, n_threads) != 0) {
        return {};
    }
    const float * last = whisper_get_logits(ctx) + (tokens.size() - 1) * size_t(whisper_n_vocab(ctx));
    return std::vector<float>(last, last + whisper_n_vocab(ctx));
}

// A graph that runs on one device is one split.
bool on_device_only(const whisper_state & state) {
    const char * device = ggml_backend_name(state.backends[0]);
    bool         all    = std::strncmp(device, "DirectX", 7) == 0 || std::strncmp(device, "ONNX", 4) == 0;
    std::printf("device %s, parts of the graphs:", device);
    const std::pair<const char *, ggml_backend_sched_t> graphs[] = {
        { "convolutions", state.sched_conv.sched },
        { "encoder", state.sched_encode.sched },
        { "cross-attention", state.sched_cross.sched },
        { "decoder", state.sched_decode.sched },
    };
    for (const auto & [name, sched] : graphs) {
        const int n_splits = ggml_backend_sched_get_n_splits(sched);
        std::printf(" %s %d", name, n_splits);
        all = all && n_splits == 1;
    }
    std::printf("\n");
    return all;
}

bool compare(const char * model, const std::vector<float> & sound, bool flash_attn) {
    const int         n_threads = int(std::max(1u, std::thread::hardware_concurrency()));
    const context_ptr cpu       = open_model(model, false, flash_attn);
    const context_ptr device    = open_model(model, true, flash_attn);
    if (!cpu || !device) {
        std::printf("%s cannot be loaded\n", model);
        return false;
    }
    const double encoder_error = nmse(encode(cpu.get(), sound, n_threads), encode(device.get(), sound, n_threads));

    // Of all steps: every logit, and the likeliest alone.
    std::vector<float>         expected_all, found_all, expected_likely, found_likely;
    std::vector<whisper_token> tokens = { whisper_token_sot(cpu.get()), whisper_token_not(cpu.get()) };
    int                        n_past = 0;
    for (int step = 0; step < n_steps; ++step) {
        const std::vector<float> expected = decode(cpu.get(), tokens, n_past, n_threads);
        const std::vector<float> found    = decode(device.get(), tokens, n_past, n_threads);
        if (expected.empty() || found.empty()) {
            std::printf("the decoder fails at step %d\n", step);
            return false;
        }
        expected_all.insert(expected_all.end(), expected.begin(), expected.end());
        found_all.insert(found_all.end(), found.begin(), found.end());

        std::vector<whisper_token> ids(expected.size());
        std::iota(ids.begin(), ids.end(), 0);
        std::partial_sort(ids.begin(), ids.begin() + n_likely, ids.end(),
                          [&](whisper_token a, whisper_token b) { return expected[size_t(a)] > expected[size_t(b)]; });
        for (int i = 0; i < n_likely; ++i) {
            expected_likely.push_back(expected[size_t(ids[size_t(i)])]);
            found_likely.push_back(found[size_t(ids[size_t(i)])]);
        }
        n_past += int(tokens.size());
        tokens = { ids[0] };
    }
    const double logits_error = nmse(expected_all, found_all);
    const double likely_error = nmse(expected_likely, found_likely);

    const bool placed = on_device_only(*device->state);
    const bool equal  = std::max({ encoder_error, logits_error, likely_error }) <= max_nmse;
    std::printf("flash attention %s: NMSE encoder %.2e, logits %.2e, the likeliest %.2e; at most %.0e: %s\n", flash_attn ? "on" : "off",
                encoder_error, logits_error, likely_error, max_nmse,
                !equal   ? "too far apart"
                : placed ? "ok"
                         : "not on the device alone");
    return equal && placed;
}

}  // namespace

int main(int argc, char ** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: speech-compare MODEL.bin FILE.wav\n");
        return 2;
    }
    std::vector<float>              sound;
    std::vector<std::vector<float>> channels;
    ggml_backend_load_all();
    if (!read_audio_data(argv[2], sound, channels, false)) {
        return 2;
    }
    bool right = true;
    for (const bool flash_attn : { true, false }) {
        right = compare(argv[1], sound, flash_attn) && right;
    }
    return right ? 0 : 1;
}
