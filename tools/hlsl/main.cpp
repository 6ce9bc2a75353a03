// Compiles the shader catalogue into the kernel archive. A Windows program, since Microsoft's compilers are Windows libraries;
// runs under wine elsewhere.

#include "archive.h"
#include "cache.h"
#include "catalogue.h"
#include "compiler.h"
#include "source.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

namespace {

struct options {
    std::string              catalogue;
    std::string              compilers;
    std::string              output;
    std::string              depfile;
    std::string              cache;
    std::vector<std::string> families;
    std::vector<std::string> tiers;
    unsigned                 jobs = 1;
};

struct outcome {
    std::vector<std::vector<uint8_t>> code;  // by variant
    size_t                            n_compiled = 0;
    size_t                            n_failed   = 0;
};

outcome compile_all(const options & o, const std::vector<hlsl::variant> & variants, hlsl::source_tree & sources) {
    const hlsl::shader_cache cache(o.cache, hlsl::compiler::identity(o.compilers));
    outcome                  result;
    result.code.resize(variants.size());
    std::atomic<size_t>      next{ 0 };
    std::atomic<size_t>      n_compiled{ 0 };
    std::atomic<size_t>      n_failed{ 0 };
    std::mutex               console;

    const auto work = [&] {
        std::unique_ptr<hlsl::compiler> compiler;
        for (size_t i = next++; i < variants.size(); i = next++) {
            const hlsl::variant & v = variants[i];
            try {
                const std::string key = cache.key(v, sources);
                if (auto known = cache.load(key)) {
                    result.code[i] = std::move(*known);
                    continue;
                }
                if (!compiler) {
                    compiler = std::make_unique<hlsl::compiler>(o.compilers, sources);
                }
                result.code[i] = compiler->compile(v);
                cache.store(key, result.code[i]);
                if (++n_compiled % 50 == 0) {
                    std::lock_guard lock(console);
                    std::printf("%zu of %zu shaders\n", i + 1, variants.size());
                    std::fflush(stdout);
                }
            } catch (const std::exception & e) {
                ++n_failed;
                std::lock_guard lock(console);
                std::printf("error: %s for %s: %s\n", v.name.c_str(), hlsl::tier_names[int(v.level)], e.what());
                std::fflush(stdout);
            }
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < o.jobs; ++i) {
        threads.emplace_back(work);
    }
    for (std::thread & t : threads) {
        t.join();
    }
    result.n_compiled = n_compiled;
    result.n_failed   = n_failed;
    return result;
}

void write_file(const std::string & path, const void * data, size_t size) {
    std::ofstream file(path, std::ios::binary);
    file.write(static_cast<const char *>(data), std::streamsize(size));
    file.close();
    if (!file) {
        throw std::runtime_error("cannot write " + path);
    }
}

void write_depfile(const options & o, const std::vector<hlsl::variant> & variants, hlsl::source_tree & sources) {
    std::set<std::string> files;
    for (const hlsl::variant & v : variants) {
        for (const std::string & file : sources.closure(sources.root() + "/" + v.source)) {
            files.insert(file);
        }
    }
    std::string text = o.output + ": " + o.catalogue;
    for (const std::string & file : files) {
        text += " \\\n  " + file;
    }
    text += "\n";
    write_file(o.depfile, text.data(), text.size());
}

void keep_wanted(const options & o, std::vector<hlsl::variant> & variants) {
    const auto wanted = [](const std::vector<std::string> & list, const std::string & name) {
        return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
    };
    std::erase_if(variants, [&](const hlsl::variant & v) { return !wanted(o.families, v.family) || !wanted(o.tiers, hlsl::tier_names[int(v.level)]); });
}

int run(const options & o) {
    std::vector<hlsl::variant> variants = hlsl::read_catalogue(o.catalogue);
    keep_wanted(o, variants);
    hlsl::source_tree sources(std::filesystem::path(o.catalogue).parent_path().generic_string());
    const outcome     done = compile_all(o, variants, sources);
    std::printf("%zu shaders: %zu compiled, %zu from the cache, %zu failed\n", variants.size(), done.n_compiled,
                variants.size() - done.n_compiled - done.n_failed, done.n_failed);
    if (done.n_failed > 0) {
        return 1;
    }
    if (!o.depfile.empty()) {
        write_depfile(o, variants, sources);
    }
    if (!o.output.empty()) {
        const std::vector<uint8_t> archive = hlsl::make_archive(variants, done.code);
        write_file(o.output, archive.data(), archive.size());
    }
    return 0;
}

}  // namespace

int main(int argc, char ** argv) {
    options  o;
    CLI::App app("Compiles a catalogue of HLSL kernels into one archive", "hlsl-archive");
    app.add_option("catalogue", o.catalogue, "catalogue.json; sources lie beside it")->required();
    app.add_option("--compilers", o.compilers, "folder with d3dcompiler_47.dll, dxcompiler.dll and dxil.dll")->required();
    app.add_option("--output", o.output, "archive to write; without it, everything is only compiled");
    app.add_option("--depfile", o.depfile, "what the archive depends on, for make and ninja");
    app.add_option("--cache", o.cache, "folder that keeps compiled shaders by content");
    app.add_option("--family", o.families, "only this family (repeatable)");
    app.add_option("--tier", o.tiers, "only this tier (repeatable)")->check(CLI::IsMember({ "sm51", "sm60", "sm66" }));
    app.add_option("--jobs", o.jobs, "shaders compiled at the same time")->check(CLI::Range(1, 256));
    CLI11_PARSE(app, argc, argv);
    try {
        return run(o);
    } catch (const std::exception & e) {
        std::printf("error: %s\n", e.what());
        return 1;
    }
}
