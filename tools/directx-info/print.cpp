#include "report.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace ggml_directx {

namespace {

const char * type_name(d3d12::adapter_type t) {
    switch (t) {
        case d3d12::adapter_type::gpu: return "gpu";
        case d3d12::adapter_type::integrated: return "integrated gpu";
        case d3d12::adapter_type::npu: return "npu";
        case d3d12::adapter_type::software: return "software";
    }
    return "unknown";
}

std::string shader_model_name(uint32_t m) {
    return std::to_string(m >> 4) + "." + std::to_string(m & 15);
}

std::string bytes_text(uint64_t n) {
    char text[32];
    if (n == 0) {
        return "unknown";
    }
    const double mib = double(n) / (1024.0 * 1024.0);
    std::snprintf(text, sizeof(text), mib < 10240 ? "%.0f MiB" : "%.1f GiB", mib < 10240 ? mib : mib / 1024.0);
    return text;
}

const char * yes_no(bool b) {
    return b ? "yes" : "no";
}

void row(const char * label, const std::string & value) {
    std::printf("   %-16s %s\n", label, value.c_str());
}

void print_capabilities(const d3d12::capabilities & c) {
    row("engine", "Direct3D 12 shaders, tier " + std::string(tier_name(c.active_tier)) +
                      (c.active_tier == c.best_tier ? "" : " (could run " + std::string(tier_name(c.best_tier)) + ")"));
    row("shader model", shader_model_name(c.shader_model));
    row("wave operations", c.wave_ops ? std::to_string(c.wave_min) + " to " + std::to_string(c.wave_max) + " lanes" : "no");
    row("16-bit types", yes_no(c.native_16bit));
    row("packed dot", yes_no(c.dot4));
    row("unified memory", c.uma ? (c.cache_coherent_uma ? "yes, cache-coherent" : "yes") : "no");
    row("largest buffer", bytes_text(c.max_buffer_bytes));
}

void print_onnx(const onnx::engine_report & r) {
    for (const std::string & complaint : r.complaints) {
        std::printf("note: %s\n", complaint.c_str());
    }
    if (r.runtime.empty()) {
        std::printf("\nNo ONNX Runtime: %s\n", r.problem.c_str());
        return;
    }
    std::printf("\n%s, %zu device%s\n", r.runtime.c_str(), r.devices.size(), r.devices.size() == 1 ? "" : "s");
    for (const onnx::device_report & d : r.devices) {
        std::printf("\n   %s\n", d.description.c_str());
        row("type", d.type);
        row("self-test", !d.tested ? "not run (--selftest)" : d.problem.empty() ? "passed" : d.problem);
        row("offered to ggml", d.offered ? "yes" : d.problem.empty() ? "no (GGML_DIRECTX_ORT)" : "no");
    }
}

void print_direct3d(const machine_report & r) {
    if (r.runtime.empty()) {
        std::printf("No Direct3D 12: %s\n", r.problem.c_str());
        return;
    }
    std::printf("Direct3D 12 by %s, %zu adapter%s\n", r.runtime.c_str(), r.adapters.size(), r.adapters.size() == 1 ? "" : "s");
    for (size_t i = 0; i < r.adapters.size(); ++i) {
        const adapter_report & a = r.adapters[i];
        std::printf("\n%zu  %s\n", i, a.adapter.name.c_str());
        row("type", type_name(a.adapter.type));
        if (!a.adapter.driver.empty()) {
            row("driver", a.adapter.driver);
        }
        row("memory", bytes_text(a.adapter.dedicated_memory) + " own, " + bytes_text(a.adapter.shared_memory) + " shared");
        if (a.caps) {
            row("budget", bytes_text(a.memory.budget) + ", " + std::to_string(a.memory.usage >> 20) + " MiB in use");
            print_capabilities(*a.caps);
        }
        row("self-test", a.problem.empty() ? "passed" : a.problem);
        row("offered to ggml", yes_no(a.offered));
    }
}

}  // namespace

void print_text(const machine_report & r) {
    for (const std::string & complaint : r.complaints) {
        std::printf("note: %s\n", complaint.c_str());
    }
    print_direct3d(r);
    print_onnx(r.onnx);
}

void print_json(const machine_report & r) {
    nlohmann::ordered_json root;
    root["runtime"] = r.runtime;
    if (!r.problem.empty()) {
        root["problem"] = r.problem;
    }
    root["complaints"] = r.complaints;
    root["adapters"]   = nlohmann::ordered_json::array();
    for (const adapter_report & a : r.adapters) {
        nlohmann::ordered_json j;
        j["name"]             = a.adapter.name;
        j["type"]             = type_name(a.adapter.type);
        j["vendor_id"]        = a.adapter.vendor_id;
        j["device_id"]        = a.adapter.device_id;
        j["luid"]             = a.adapter.luid;
        j["driver"]           = a.adapter.driver;
        j["dedicated_memory"] = a.adapter.dedicated_memory;
        j["shared_memory"]    = a.adapter.shared_memory;
        if (a.caps) {
            const d3d12::capabilities & c = *a.caps;
            j["engine"]                   = "Direct3D 12 shaders";
            j["tier"]                     = tier_name(c.active_tier);
            j["best_tier"]                = tier_name(c.best_tier);
            j["shader_model"]             = shader_model_name(c.shader_model);
            j["wave_ops"]                 = c.wave_ops;
            j["wave_min"]                 = c.wave_min;
            j["wave_max"]                 = c.wave_max;
            j["native_16bit"]             = c.native_16bit;
            j["dot4"]                     = c.dot4;
            j["uma"]                      = c.uma;
            j["cache_coherent_uma"]       = c.cache_coherent_uma;
            j["max_buffer_bytes"]         = c.max_buffer_bytes;
            j["memory_budget"]            = a.memory.budget;
            j["memory_usage"]             = a.memory.usage;
        }
        j["self_test"] = a.problem.empty() ? "passed" : a.problem;
        j["offered"]   = a.offered;
        root["adapters"].push_back(std::move(j));
    }
    nlohmann::ordered_json & o = root["onnxruntime"];
    o["runtime"]               = r.onnx.runtime;
    if (!r.onnx.problem.empty()) {
        o["problem"] = r.onnx.problem;
    }
    o["complaints"] = r.onnx.complaints;
    o["devices"]    = nlohmann::ordered_json::array();
    for (const onnx::device_report & d : r.onnx.devices) {
        o["devices"].push_back({ { "description", d.description },
                                 { "type", d.type },
                                 { "self_test", !d.tested           ? "not run"
                                                : d.problem.empty() ? "passed"
                                                                    : d.problem },
                                 { "offered", d.offered } });
    }
    // an adapter's name is the driver's text: what is not UTF-8 is replaced, not thrown at the user
    std::printf("%s\n", root.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

}  // namespace ggml_directx
