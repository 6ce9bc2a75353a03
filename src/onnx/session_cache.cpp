#include "onnx/session_cache.h"

#include "fault.h"
#include "log.h"

#include <algorithm>
#include <chrono>

namespace ggml_directx::onnx {

std::shared_ptr<session> session_cache::compile(const model & m, std::vector<bool> free, uint64_t attempt) {
    if (fault_due("session", attempt)) {
        throw error("a fault was asked for");
    }
    const auto start   = std::chrono::steady_clock::now();
    auto       made    = std::make_shared<session>(runtime_, device_, weights_, m, std::move(free));
    const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ++compiled_;
    if (seconds > 1.0) {
        LOG_DX_INFO("compiling a graph for %s took %.1f s", device_.ep.c_str(), seconds);
    }
    return made;
}

namespace {

template <typename predicate>
std::shared_ptr<session> newest_of(std::vector<std::shared_ptr<session>> & sessions, const predicate & wanted) {
    const auto it = std::find_if(sessions.rbegin(), sessions.rend(), wanted);
    if (it == sessions.rend()) {
        return nullptr;
    }
    std::rotate(it.base() - 1, it.base(), sessions.end());
    return sessions.back();
}

}  // namespace

std::shared_ptr<session> session_cache::find(const model & m) {
    // fixed shapes run faster
    if (auto s = newest_of(sessions_, [&](const auto & c) { return c->free().empty() && c->serves(m); })) {
        return s;
    }
    return newest_of(sessions_, [&](const auto & c) { return c->serves(m); });
}

void session_cache::keep(std::shared_ptr<session> s) {
    if (sessions_.size() >= max_sessions) {
        sessions_.erase(sessions_.begin());
    }
    sessions_.push_back(std::move(s));
}

// Takes over what was compiled in the background.
void session_cache::collect(bool wait) {
    if (!pending_.valid() || (!wait && pending_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)) {
        return;
    }
    if (auto made = pending_.get()) {
        keep(std::move(made));
    }
}

std::shared_ptr<session> session_cache::get(const model & m) {
    std::lock_guard lock(mutex_);
    collect(false);
    if (auto s = find(m)) {
        return s;
    }
    collect(true);  // it may be this very session
    if (auto s = find(m)) {
        return s;
    }
    std::vector<bool> free;
    if (!fixed_shapes_) {
        const auto alike   = [&](const auto & c) { return c->structure() == m.structure(); };
        const auto sibling = newest_of(sessions_, [&](const auto & c) { return alike(c) && !c->free().empty(); });
        const auto other   = sibling ? sibling : newest_of(sessions_, alike);
        if (other && other->variables().size() == m.variables().size()) {
            free = other->free().empty() ? std::vector<bool>(m.variables().size(), false) : other->free();
            for (size_t i = 0; i < free.size(); ++i) {
                free[i] = free[i] || other->variables()[i] != m.variables()[i];
            }
            if (sibling) {
                sessions_.pop_back();  // the wider one serves all that it did
            }
        }
    }
    auto made = compile(m, std::move(free), ++attempts_);
    keep(made);
    return made;
}

void session_cache::prepare(model m) {
    std::lock_guard lock(mutex_);
    collect(false);
    if (pending_.valid() || find(m)) {
        return;
    }
    pending_ = std::async(std::launch::async, [this, m = std::move(m), attempt = ++attempts_]() -> std::shared_ptr<session> {
        try {
            auto made = compile(m, {}, attempt);
            LOG_DX_DEBUG("%s: a session for later was compiled", device_.ep.c_str());
            return made;
        } catch (const std::exception & e) {
            LOG_DX_DEBUG("compiling ahead for %s failed: %s", device_.ep.c_str(), e.what());
            return nullptr;
        }
    });
}

void session_cache::settle() {
    std::lock_guard lock(mutex_);
    collect(true);
}

void session_cache::clear() {
    std::lock_guard lock(mutex_);
    collect(true);
    sessions_.clear();
    ++generation_;
}

}  // namespace ggml_directx::onnx
