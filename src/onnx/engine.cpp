#include "onnx/engine.h"

#include "environment.h"
#include "log.h"
#include "onnx/device.h"
#include "onnx/self_test.h"

#include <algorithm>
#include <cctype>

namespace ggml_directx::onnx {

namespace {

bool same_word(const std::string & a, const std::string & b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool names(const std::string & word, const ep_device & d) {
    return same_word(word, "all") || same_word(word, d.type) || same_word(word, d.ep) || same_word(word, d.short_name());
}

bool is_wanted(const ep_device & d) {
    const std::vector<std::string> & list = env().ort;
    return list.empty() ? d.type == "npu" : std::any_of(list.begin(), list.end(), [&](const std::string & w) { return names(w, d); });
}

// What was found at load; lives until the process ends.
struct engine {
    std::shared_ptr<runtime> rt;
    engine_report            report{};
    std::vector<ep_device>   devices;  // as in the report
};

std::string describe(const runtime & rt, const ep_device & d) {
    std::string text = d.ep;
    if (!d.ep_version.empty() && d.ep_version != rt.version()) {
        text += " " + d.ep_version;
    }
    if (!d.vendor.empty()) {
        text += " on " + d.vendor;
    }
    return text + " (ONNX Runtime " + rt.version() + ", " + d.type + ")";
}

void test(engine & e, size_t i) {
    device_report & r = e.report.devices[i];
    if (!r.tested) {
        r.problem = self_test(*e.rt, e.devices[i]);
        r.tested  = true;
        r.offered = r.offered && r.problem.empty();
    }
}

void find_devices(engine & e) {
    const environment & user = env();
    for (const ep_library & library : user.ort_eps) {
        try {
            e.rt->register_library(library.name, library.path);
        } catch (const error & refusal) {
            e.report.complaints.push_back("the execution provider " + library.name + " (" + library.path +
                                          ") is left out: " + refusal.what());
        }
    }
    e.devices = e.rt->devices();
    for (const ep_device & d : e.devices) {
        device_report r;
        r.type        = d.type;
        r.description = describe(*e.rt, d);
        r.offered     = is_wanted(d);
        e.report.devices.push_back(std::move(r));
    }
    for (size_t i = 0; i < e.devices.size(); ++i) {
        if (e.report.devices[i].offered) {
            test(e, i);
            if (!e.report.devices[i].problem.empty()) {
                e.report.complaints.push_back("not using " + e.report.devices[i].description +
                                              ": its self-test failed: " + e.report.devices[i].problem);
            }
        }
    }
    for (const std::string & word : user.ort) {
        const bool known = same_word(word, "all") || same_word(word, "npu") || same_word(word, "gpu") || same_word(word, "cpu") ||
                           std::any_of(e.devices.begin(), e.devices.end(), [&](const ep_device & d) { return names(word, d); });
        if (!known) {
            std::string known_eps;
            for (const ep_device & d : e.devices) {
                known_eps += (known_eps.empty() ? "" : ", ") + d.short_name();
            }
            e.report.complaints.push_back("GGML_DIRECTX_ORT names " + word + ", which is no execution provider here; there are " +
                                          known_eps);
        }
    }
}

engine make_engine() {
    engine              e;
    const environment & user = env();
    e.report.expected        = !user.ort.empty() || !user.onnxruntime.empty() || !user.ort_eps.empty();
    if (user.ort.size() == 1 && same_word(user.ort[0], "none")) {
        e.report.expected = false;
        e.report.problem  = "GGML_DIRECTX_ORT=none";
        return e;
    }
#if !defined(_WIN32)
    // Windows alone has NPUs that show without a library of their maker's being named.
    if (!e.report.expected) {
        e.report.problem = "not asked for (GGML_DIRECTX_ORT)";
        return e;
    }
#endif
    try {
        e.rt = runtime::load(user.onnxruntime, user.ort_threads, e.report.problem);
        if (e.rt) {
            e.report.runtime = "ONNX Runtime " + e.rt->version() + " (" + e.rt->name() + ")";
            find_devices(e);
        }
    } catch (const std::exception & failure) {
        e.report.problem = failure.what();
        e.report.devices.clear();
        e.devices.clear();
    }
    return e;
}

engine & the_engine() {
    static engine & found = *new engine(make_engine());
    return found;
}

}  // namespace

engine_report examine(bool test_all) {
    engine & e = the_engine();
    for (size_t i = 0; test_all && i < e.devices.size(); ++i) {
        test(e, i);
    }
    return e.report;
}

std::vector<ggml_backend_dev_t> devices(ggml_backend_reg_t reg) {
    engine & e = the_engine();
    for (const std::string & complaint : e.report.complaints) {
        LOG_DX_WARN("%s", complaint.c_str());
    }
    if (!e.report.problem.empty() && e.report.expected) {
        LOG_DX_WARN("no ONNX Runtime device: %s", e.report.problem.c_str());
    }
    std::vector<ggml_backend_dev_t> list;
    for (size_t i = 0; i < e.devices.size(); ++i) {
        if (!e.report.devices[i].offered) {
            continue;
        }
        const std::string name = "ONNX" + std::to_string(list.size());
        LOG_DX_INFO("%s = %s", name.c_str(), e.report.devices[i].description.c_str());
        auto * ctx   = new device_context(e.rt, e.devices[i], name, e.report.devices[i].description);
        auto * entry = new ggml_backend_device(make_device(reg, *ctx));
        init_buffer_type(*ctx, entry);
        list.push_back(entry);
    }
    if (list.empty() && e.report.expected && e.report.problem.empty() && e.report.complaints.empty()) {
        LOG_DX_WARN("no ONNX Runtime device: GGML_DIRECTX_ORT picks none of the %zu that %s has", e.devices.size(),
                    e.report.runtime.c_str());
    }
    return list;
}

}  // namespace ggml_directx::onnx
