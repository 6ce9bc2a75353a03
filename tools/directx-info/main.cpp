// directx-info: lists the adapters, what each can do, which engine and tier would drive it, and whether the self-test passes.

#include "report.h"

#include <CLI/CLI.hpp>

#include <algorithm>

int main(int argc, char ** argv) {
    CLI::App app{ "What ggml-directx finds on this machine. Heeds the same environment variables as the plug-in." };
    bool     json     = false;
    bool     test_all = false;
    app.add_flag("--json", json, "Print JSON");
    app.add_flag("--selftest", test_all, "Test every device, those too that would not be offered");
    app.footer("Exits with 0 if the plug-in would offer at least one device, else with 1.");
    CLI11_PARSE(app, argc, argv);

    const ggml_directx::machine_report report = ggml_directx::examine(test_all);
    if (json) {
        ggml_directx::print_json(report);
    } else {
        ggml_directx::print_text(report);
    }
    const auto offered = [](const auto & d) { return d.offered; };
    const bool usable  = std::any_of(report.adapters.begin(), report.adapters.end(), offered) ||
                        std::any_of(report.onnx.devices.begin(), report.onnx.devices.end(), offered);
    return usable ? 0 : 1;
}
