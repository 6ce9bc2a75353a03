// Compiles the kernel catalogue into one archive. A Windows program, since Microsoft's compilers are Windows libraries;
// on Linux it runs under wine.

#include "archive.h"
#include "build.h"
#include "cache.h"
#include "files.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <numeric>
#include <thread>

namespace {

namespace fs = std::filesystem;

struct options {
    std::string              catalogue;
    std::string              output;
    std::string              object;
    std::string              machine = "x64";
    std::string              reuse;
    std::string              depfile;
    std::string              depfile_target;
    std::string              base = ".";
    std::string              fxc;
    std::string              dxc;
    std::string              cache = hlsl::default_cache_folder().string();
    std::string              dump;
    std::vector<std::string> families;
    std::vector<std::string> tiers;
    std::vector<std::string> names;
    unsigned                 jobs     = std::max(1u, std::thread::hardware_concurrency());
    bool                     check    = false;
    bool                     no_cache = false;
    bool                     timings  = false;
    bool                     list     = false;
};

bool listed(const std::vector<std::string> & filter, std::string_view value) {
    return filter.empty() || std::find(filter.begin(), filter.end(), value) != filter.end();
}

std::vector<hlsl::variant> wanted(const options & o) {
    std::vector<hlsl::variant> all = hlsl::read_catalogue(o.catalogue);
    std::erase_if(all, [&](const hlsl::variant & v) {
        return !listed(o.families, v.family) || !listed(o.tiers, hlsl::tier_names[v.tier]) || !listed(o.names, v.name);
    });
    return all;
}

// Variants that fail alike are told once, with the number of those that follow.
void print_errors(const std::vector<hlsl::variant> & variants, const hlsl::build_result & result) {
    std::vector<std::pair<std::string, std::vector<size_t>>> kinds;
    std::map<std::string, size_t>                            known;
    for (size_t i = 0; i < variants.size(); i++) {
        if (result.variants[i].error.empty()) {
            continue;
        }
        const std::string key  = variants[i].family + std::to_string(variants[i].tier) + result.variants[i].error;
        const auto        kind = known.emplace(key, kinds.size());
        if (kind.second) {
            kinds.emplace_back(result.variants[i].error, std::vector<size_t>());
        }
        kinds[kind.first->second].second.push_back(i);
    }
    for (const auto & [message, which] : kinds) {
        const hlsl::variant & v = variants[which[0]];
        std::fprintf(stderr, "error: %s (%s)", v.name.c_str(), hlsl::tier_names[v.tier].data());
        if (which.size() > 1) {
            std::fprintf(stderr, " and %zu more of the family", which.size() - 1);
        }
        std::fprintf(stderr, " does not compile:\n%s\n\n", message.c_str());
    }
}

void print_timings(const std::vector<hlsl::variant> & variants, const hlsl::build_result & result) {
    std::vector<size_t> order(variants.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return result.variants[a].seconds > result.variants[b].seconds; });
    std::map<std::string, std::pair<double, size_t>> families;
    for (size_t i = 0; i < variants.size(); i++) {
        auto & f = families[std::string(hlsl::tier_names[variants[i].tier]) + " " + variants[i].family];
        f.first += result.variants[i].seconds;
        f.second++;
    }
    std::printf("slowest variants:\n");
    for (size_t i = 0; i < std::min<size_t>(order.size(), 15); i++) {
        const hlsl::variant & v = variants[order[i]];
        std::printf("%8.2f s  %s %s (%zu bytes)\n", result.variants[order[i]].seconds, hlsl::tier_names[v.tier].data(), v.name.c_str(),
                    result.variants[order[i]].code.size());
    }
    std::printf("families:\n");
    for (const auto & [name, sum] : families) {
        std::printf("%8.2f s  %s (%zu variants)\n", sum.first, name.c_str(), sum.second);
    }
}

std::string escaped_for_make(const std::string & path) {
    std::string out;
    for (char c : path) {
        if (c == ' ' || c == '#') {
            out += '\\';
        } else if (c == '$') {
            out += '$';
        }
        out += c;
    }
    return out;
}

void write_depfile(const options & o, const std::vector<std::string> & files) {
    std::string text = escaped_for_make(o.depfile_target.empty() ? o.output : o.depfile_target) + ":";
    text += " \\\n  " + escaped_for_make(fs::path(o.catalogue).generic_string());
    for (const std::string & f : files) {
        text += " \\\n  " + escaped_for_make(f);
    }
    hlsl::write_atomically(o.depfile, text + "\n");
}

void write_object(const options & o, std::span<const uint8_t> archive) {
    if (!o.object.empty()) {
        hlsl::write_atomically(o.object, hlsl::make_coff_object(archive, o.machine));
    }
}

void write_archive(const options & o, const std::vector<hlsl::variant> & variants, const hlsl::build_result & result) {
    std::vector<std::span<const uint8_t>> code;
    size_t                                size = 0;
    for (const hlsl::compiled & c : result.variants) {
        code.emplace_back(c.code);
        size += c.code.size();
    }
    const std::vector<uint8_t> archive = hlsl::make_archive(variants, code);
    hlsl::write_atomically(o.output, archive);
    write_object(o, archive);
    std::printf("shaders: %zu KiB of code in an archive of %zu KiB\n", size / 1024, archive.size() / 1024);
}

int run(const options & o) {
    if (!o.reuse.empty()) {
        write_object(o, hlsl::read_bytes(o.reuse));
        return 0;
    }
    const std::vector<hlsl::variant> variants = wanted(o);
    if (variants.empty()) {
        std::fprintf(stderr, "error: the catalogue has no such variant\n");
        return 1;
    }
    if (o.list) {
        for (const hlsl::variant & v : variants) {
            std::printf("%s %s\n", hlsl::tier_names[v.tier].data(), v.name.c_str());
        }
        return 0;
    }

    hlsl::build_options build;
    build.folder = fs::path(o.catalogue).parent_path();
    build.base   = o.base;
    build.fxc    = o.fxc;
    build.dxc    = o.dxc;
    build.cache  = o.no_cache ? "" : o.cache;
    build.jobs   = o.jobs;

    const hlsl::build_result result = hlsl::compile_all(variants, build);
    if (o.timings) {
        print_timings(variants, result);
    }
    if (!o.dump.empty()) {
        for (size_t i = 0; i < variants.size(); i++) {
            const std::string name = variants[i].name + "." + std::string(hlsl::tier_names[variants[i].tier]);
            hlsl::write_atomically(fs::path(o.dump) / (name + ".bin"), result.variants[i].code);
        }
    }
    std::printf("shaders: %zu variants, %zu from the cache, %zu failed\n", variants.size(), result.from_cache, result.failed);
    if (result.failed != 0) {
        std::fflush(stdout);
        print_errors(variants, result);
        return 1;
    }
    if (!o.check) {
        write_archive(o, variants, result);
    }
    if (!o.depfile.empty()) {
        write_depfile(o, result.files);
    }
    return 0;
}

}  // namespace

int main(int argc, char ** argv) {
    options  o;
    CLI::App app("Compiles the kernel catalogue of ggml-directx.");
    app.add_option("--catalogue", o.catalogue, "the catalogue (JSON); sources lie beside it");
    app.add_option("--output", o.output, "the archive to write");
    app.add_option("--object", o.object, "the archive once more, as a COFF object");
    app.add_option("--machine", o.machine, "what the object is for: x64 or arm64");
    app.add_option("--reuse", o.reuse, "compile nothing: make the object from this archive");
    app.add_option("--depfile", o.depfile, "a list of all sources read, for the build system");
    app.add_option("--depfile-target", o.depfile_target, "the file that depends on them (default: the archive)");
    app.add_option("--base", o.base, "messages name files relative to this folder");
    app.add_option("--fxc", o.fxc, "d3dcompiler_47.dll (tier sm51)");
    app.add_option("--dxc", o.dxc, "dxcompiler.dll (tiers sm60 and sm66)");
    app.add_option("--cache", o.cache, "folder of compiled shaders (default: GGML_DIRECTX_SHADER_CACHE, or the user's)");
    app.add_flag("--no-cache", o.no_cache, "compile everything");
    app.add_option("--family", o.families, "only these families");
    app.add_option("--tier", o.tiers, "only these tiers")->check(CLI::IsMember({ "sm51", "sm60", "sm66" }));
    app.add_option("--name", o.names, "only these variants, by full name");
    app.add_option("--jobs", o.jobs, "threads")->check(CLI::Range(1u, 256u));
    app.add_option("--dump", o.dump, "write each container to this folder");
    app.add_flag("--check", o.check, "compile only");
    app.add_flag("--timings", o.timings, "tell what took long");
    app.add_flag("--list", o.list, "list the variants and stop");
    CLI11_PARSE(app, argc, argv);

    if (o.reuse.empty() && o.catalogue.empty()) {
        std::fprintf(stderr, "error: --catalogue is needed\n");
        return 2;
    }
    if (o.reuse.empty() && !o.list && !o.check && o.output.empty()) {
        std::fprintf(stderr, "error: --output, --check or --list is needed\n");
        return 2;
    }
    try {
        return run(o);
    } catch (const std::exception & e) {
        std::fprintf(stderr, "error: %s\n", e.what());
        return 1;
    }
}
