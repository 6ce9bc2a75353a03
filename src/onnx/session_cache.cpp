#include "onnx/session_cache.h"

#include "environment.h"
#include "fault.h"
#include "log.h"

#include <algorithm>
#include <chrono>

namespace ggml_directx::onnx {

std::shared_ptr<session> session_cache::compile(const model & m, std::vector<bool> free) {
    if (fault_due("session", ++attempts_)) {
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

std::shared_ptr<session> session_cache::get(const model & m) {
    std::lock_guard lock(mutex_);
    const auto      newest_first = [&](const auto & wanted) {
        const auto it = std::find_if(sessions_.rbegin(), sessions_.rend(), wanted);
        if (it == sessions_.rend()) {
            return std::shared_ptr<session>();
        }
        std::rotate(it.base() - 1, it.base(), sessions_.end());
        return sessions_.back();
    };
    // fixed shapes run faster
    if (auto s = newest_first([&](const auto & c) { return c->free().empty() && c->serves(m); })) {
        return s;
    }
    if (auto s = newest_first([&](const auto & c) { return c->serves(m); })) {
        return s;
    }
    std::vector<bool> free;
    if (!env().ort_static) {
        const auto sibling = newest_first([&](const auto & c) { return c->structure() == m.structure() && !c->free().empty(); });
        const auto other   = sibling ? sibling : newest_first([&](const auto & c) { return c->structure() == m.structure(); });
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
    auto made = compile(m, std::move(free));
    if (sessions_.size() >= max_sessions) {
        sessions_.erase(sessions_.begin());
    }
    sessions_.push_back(made);
    return made;
}

void session_cache::clear() {
    std::lock_guard lock(mutex_);
    sessions_.clear();
    ++generation_;
}

}  // namespace ggml_directx::onnx
