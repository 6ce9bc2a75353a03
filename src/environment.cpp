#include "environment.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

#ifndef _WIN32
extern char ** environ;
#endif

namespace ggml_directx {

namespace {

constexpr std::string_view prefix = "GGML_DIRECTX_";

// After the prefix. What the plug-in reads:
constexpr std::array<std::string_view, 17> own_names = {
    "TIER",    "SOFTWARE", "GPU_KERNELS", "REVERSE", "D3D12",   "KERNELS",     "DEBUG",      "PROFILE",     "MEMORY_LIMIT",
    "DEVICES", "FAULT",    "ONNXRUNTIME", "ORT",     "ORT_EPS", "ORT_WEIGHTS", "ORT_STATIC", "ORT_THREADS",
};

// and what building, scripts and tests read, which is none of its business.
constexpr std::array<std::string_view, 7> foreign_names = {
    "BUILD", "LLAMA_CPP", "NODE_MODULES", "SHADER_CACHE", "SKIP_APT", "TEST_ADAPTER", "WINE",
};

// Reads one variable after the other; what it refuses goes to the complaints.
class reader {
public:
    reader(const char * (*lookup)(const char *), std::vector<std::string> & complaints) : lookup_(lookup), complaints_(complaints) {}

    // Empty where the variable is not set: an empty value means the same to most shells and people.
    std::string text(std::string_view name) const {
        const char * value = lookup_((std::string(prefix) + std::string(name)).c_str());
        return value ? value : "";
    }

    void refuse(std::string_view name, std::string_view value, std::string_view accepted) {
        complaints_.push_back(std::string(prefix) + std::string(name) + "=" + std::string(value) + " is ignored: " + std::string(accepted));
    }

    std::optional<bool> choice(std::string_view name) {
        const std::string value = text(name);
        if (value == "0" || value == "1") {
            return value == "1";
        }
        if (!value.empty()) {
            refuse(name, value, "it must be 0 or 1");
        }
        return std::nullopt;
    }

    bool flag(std::string_view name) { return choice(name).value_or(false); }

    static std::optional<uint64_t> number(std::string_view digits) {
        uint64_t   n   = 0;
        const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), n);
        if (digits.empty() || end.ec != std::errc() || end.ptr != digits.data() + digits.size()) {
            return std::nullopt;
        }
        return n;
    }

private:
    const char * (*lookup_)(const char *);
    std::vector<std::string> & complaints_;
};

std::optional<d3d12::tier> read_tier(reader & in) {
    const std::string value = in.text("TIER");
    if (value.empty()) {
        return std::nullopt;
    }
    for (d3d12::tier t : { d3d12::tier::sm51, d3d12::tier::sm60, d3d12::tier::sm66 }) {
        if (value == d3d12::tier_name(t)) {
            return t;
        }
    }
    in.refuse("TIER", value, "it must be sm51, sm60 or sm66");
    return std::nullopt;
}

uint64_t read_memory_limit(reader & in) {
    const std::string value = in.text("MEMORY_LIMIT");
    if (value.empty()) {
        return 0;
    }
    const auto         mib = reader::number(value);
    constexpr uint64_t top = UINT64_MAX >> 20;
    if (!mib || *mib == 0 || *mib > top) {
        in.refuse("MEMORY_LIMIT", value, "it must be a whole number of MiB, at least 1");
        return 0;
    }
    return *mib << 20;
}

std::vector<uint32_t> read_devices(reader & in) {
    const std::string value = in.text("DEVICES");
    if (value.empty()) {
        return {};
    }
    std::vector<uint32_t> list;
    std::string_view      rest = value;
    for (bool more = true; more;) {
        const size_t comma = rest.find(',');
        const auto   n     = reader::number(rest.substr(0, comma));
        if (!n || *n > UINT32_MAX) {
            in.refuse("DEVICES", value, "it must be a list of adapter numbers such as 0,2 (directx-info lists them)");
            return {};
        }
        if (std::find(list.begin(), list.end(), uint32_t(*n)) != list.end()) {
            in.refuse("DEVICES", value, "adapter " + std::to_string(*n) + " is listed twice");
            return {};
        }
        list.push_back(uint32_t(*n));
        more = comma != std::string_view::npos;
        rest = more ? rest.substr(comma + 1) : std::string_view();
    }
    return list;
}

// The parts between separators; empty ones are kept.
std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (bool more = true; more;) {
        const size_t at = text.find(separator);
        parts.emplace_back(text.substr(0, at));
        more = at != std::string_view::npos;
        text = more ? text.substr(at + 1) : std::string_view();
    }
    return parts;
}

std::vector<std::string> read_ort(reader & in) {
    const std::string value = in.text("ORT");
    if (value.empty()) {
        return {};
    }
    std::vector<std::string> list = split(value, ',');
    if (std::find(list.begin(), list.end(), "") != list.end()) {
        in.refuse("ORT", value, "it must be all, none, or a list of npu, gpu, cpu and names of execution providers such as npu,WebGPU");
        return {};
    }
    return list;
}

std::vector<ep_library> read_ort_eps(reader & in) {
    const std::string value = in.text("ORT_EPS");
    if (value.empty()) {
        return {};
    }
    std::vector<ep_library> list;
    for (const std::string & entry : split(value, ';')) {
        const size_t equals = entry.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == entry.size()) {
            in.refuse("ORT_EPS", value, "it must be a list of name=path such as QNN=C:\\eps\\onnxruntime_providers_qnn.dll;other=path");
            return {};
        }
        list.push_back({ entry.substr(0, equals), entry.substr(equals + 1) });
    }
    return list;
}

weight_policy read_ort_weights(reader & in) {
    const std::string value = in.text("ORT_WEIGHTS");
    if (value == "compact") {
        return weight_policy::compact;
    }
    if (value == "f16") {
        return weight_policy::f16;
    }
    if (!value.empty() && value != "exact") {
        in.refuse("ORT_WEIGHTS", value, "it must be exact, compact or f16");
    }
    return weight_policy::exact;
}

uint32_t read_ort_threads(reader & in) {
    const std::string value = in.text("ORT_THREADS");
    if (value.empty()) {
        return 0;
    }
    const auto n = reader::number(value);
    if (!n || *n == 0 || *n > 1024) {
        in.refuse("ORT_THREADS", value, "it must be a whole number from 1 to 1024");
        return 0;
    }
    return uint32_t(*n);
}

// The faults are those of fault.h.
std::string read_fault(reader & in) {
    const std::string      value = in.text("FAULT");
    const std::string_view fault = value;
    const size_t           at    = fault.find('@');
    const std::string_view name  = fault.substr(0, at);
    if (at == std::string_view::npos) {
        if (name.empty() || name == "no-runtime" || name == "self-test" || name == "no-fallback") {
            return value;
        }
    } else if (name == "removed" || name == "out-of-memory" || name == "session" || name == "run") {
        const auto n = reader::number(fault.substr(at + 1));
        if (n && *n > 0) {
            return value;
        }
    }
    in.refuse("FAULT", value,
              "it must be no-runtime, self-test, no-fallback, removed@N, out-of-memory@N, session@N or run@N, with N counted from 1");
    return {};
}

const char * lookup_process(const char * name) {
    return std::getenv(name);
}

}  // namespace

environment parse_environment(const char * (*lookup)(const char *)) {
    environment e;
    reader      in(lookup, e.complaints);
    e.tier         = read_tier(in);
    e.software     = in.flag("SOFTWARE");
    e.gpu_kernels  = in.flag("GPU_KERNELS");
    e.reverse      = in.flag("REVERSE");
    e.d3d12        = in.text("D3D12");
    e.kernels      = in.text("KERNELS");
    e.debug        = in.flag("DEBUG");
    e.profile      = in.flag("PROFILE");
    e.memory_limit = read_memory_limit(in);
    e.devices      = read_devices(in);
    e.onnxruntime  = in.text("ONNXRUNTIME");
    e.ort          = read_ort(in);
    e.ort_eps      = read_ort_eps(in);
    e.ort_weights  = read_ort_weights(in);
    e.ort_threads  = read_ort_threads(in);
    e.ort_static   = in.choice("ORT_STATIC");
    e.fault        = read_fault(in);
    return e;
}

std::vector<std::string> complain_about_unknown(const char * const * variables) {
    std::vector<std::string> complaints;
    for (; variables && *variables; variables++) {
        const std::string_view entry = *variables;
        const std::string_view name  = entry.substr(0, entry.find('='));
        if (!name.starts_with(prefix)) {
            continue;
        }
        const std::string_view rest  = name.substr(prefix.size());
        const auto             among = [rest](const auto & names) { return std::find(names.begin(), names.end(), rest) != names.end(); };
        if (!among(own_names) && !among(foreign_names)) {
            std::string known;
            for (std::string_view n : own_names) {
                known += (known.empty() ? "" : ", ") + std::string(n);
            }
            complaints.push_back(std::string(name) + " is no variable of this plug-in; after " + std::string(prefix) + " there are " +
                                 known);
        }
    }
    return complaints;
}

const environment & env() {
    static const environment parsed = [] {
        environment e = parse_environment(lookup_process);
#ifdef _WIN32
        const char * const * all = _environ;
#else
        const char * const * all = environ;
#endif
        for (std::string & c : complain_about_unknown(all)) {
            e.complaints.push_back(std::move(c));
        }
        return e;
    }();
    return parsed;
}

}  // namespace ggml_directx
