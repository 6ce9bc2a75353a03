#include "build.h"

#include "cache.h"
#include "compiler.h"
#include "files.h"
#include "sha256.h"
#include "source.h"
#include "windows_library.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <mutex>
#include <set>
#include <thread>

namespace hlsl {

namespace {

constexpr int sm51 = 0;

std::string identity(const std::filesystem::path & dll) {
    sha256 h;
    h.add(read_bytes(dll));
    return h.hex();
}

// Progress for a person who waits; a build log keeps the last line.
class progress {
public:
    progress(size_t total, bool quiet) : total_(total), quiet_(quiet) {}

    void step() {
        const std::lock_guard lock(mutex_);
        done_++;
        const auto now = std::chrono::steady_clock::now();
        if (!quiet_ && (done_ == total_ || now - last_ > std::chrono::seconds(10))) {
            last_ = now;
            std::printf("shaders: %zu of %zu compiled\n", done_, total_);
            std::fflush(stdout);
        }
    }

private:
    std::mutex                            mutex_;
    size_t                                done_ = 0;
    size_t                                total_;
    bool                                  quiet_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

struct job {
    size_t              index;
    const std::string * text;
    std::string         key;
};

class worker {
public:
    worker(const std::vector<variant> & variants, const build_options & options, const shader_cache & cache)
        : variants_(variants), options_(options), cache_(cache) {}

    void run(const job & j, compiled & out) {
        const variant & v     = variants_[j.index];
        const double    start = thread_seconds();
        try {
            out.code = compiler_for(v).compile(v, *j.text);
        } catch (const compile_error & e) {
            out.error = e.what();
        }
        out.seconds = thread_seconds() - start;
        if (out.error.empty()) {
            cache_.store(j.key, out.code);
        }
    }

private:
    compiler & compiler_for(const variant & v) {
        std::unique_ptr<compiler> & c = v.tier == sm51 ? fxc_ : dxc_;
        if (!c) {
            c = v.tier == sm51 ? load_fxc(options_.fxc) : load_dxc(options_.dxc);
        }
        return *c;
    }

    const std::vector<variant> & variants_;
    const build_options &        options_;
    const shader_cache &         cache_;
    std::unique_ptr<compiler>    fxc_;
    std::unique_ptr<compiler>    dxc_;
};

void run_jobs(const std::vector<job> & jobs, const std::vector<variant> & variants, const build_options & options,
              const shader_cache & cache, std::vector<compiled> & out) {
    std::atomic<size_t> next = 0;
    std::exception_ptr  broken;
    std::mutex          mutex;
    progress            shown(jobs.size(), options.quiet);

    const auto loop = [&] {
        try {
            worker w(variants, options, cache);
            for (size_t i = next++; i < jobs.size(); i = next++) {
                w.run(jobs[i], out[jobs[i].index]);
                shown.step();
            }
        } catch (...) {
            const std::lock_guard lock(mutex);
            broken = std::current_exception();
            next   = jobs.size();
        }
    };
    std::vector<std::thread> threads;
    for (size_t i = 1; i < std::min<size_t>(options.jobs, jobs.size()); i++) {
        threads.emplace_back(loop);
    }
    loop();
    for (std::thread & t : threads) {
        t.join();
    }
    if (broken) {
        std::rethrow_exception(broken);
    }
}

}  // namespace

build_result compile_all(const std::vector<variant> & variants, const build_options & options) {
    build_result result;
    result.variants.resize(variants.size());

    source_reader         reader(options.base);
    const shader_cache    cache(options.cache);
    std::string           identities[2];  // hashing 20 MB takes a moment: only for compilers in use
    std::set<std::string> files;
    std::vector<job>      jobs;

    for (size_t i = 0; i < variants.size(); i++) {
        const variant & v = variants[i];
        const source &  s = reader.read(options.folder / v.source);
        files.insert(s.files.begin(), s.files.end());

        const bool    legacy   = v.tier == sm51;
        std::string & compiler = identities[legacy ? 0 : 1];
        if (compiler.empty()) {
            compiler = identity(legacy ? options.fxc : options.dxc);
        }
        std::string key = shader_cache::key(v, s.key, compiler, legacy ? fxc_options(v) : dxc_options(v));
        if (auto code = cache.load(key)) {
            result.variants[i].code = std::move(*code);
            result.from_cache++;
        } else {
            jobs.push_back({ i, &s.text, std::move(key) });
        }
    }
    result.files.assign(files.begin(), files.end());

    run_jobs(jobs, variants, options, cache, result.variants);
    result.failed =
        size_t(std::count_if(result.variants.begin(), result.variants.end(), [](const compiled & c) { return !c.error.empty(); }));
    return result;
}

}  // namespace hlsl
