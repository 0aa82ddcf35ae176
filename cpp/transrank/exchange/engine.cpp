// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/engine.hpp"

#include <algorithm>

namespace transrank::exchange {

Engine& Engine::instance() {
    // Never destroyed: an exchange may outlive main().
    static auto* const engine = new Engine;
    return *engine;
}

void Engine::know(Active& exchange) {
    const std::lock_guard lock(mutex_);
    known_.insert(&exchange);
}

void Engine::forget(Active& exchange) {
    const std::lock_guard lock(mutex_);
    known_.erase(&exchange);
}

void Engine::leave() {
    const std::lock_guard lock(mutex_);
    for (auto* exchange : known_) {
        exchange->leave();
    }
}

void Engine::add(Active& exchange) {
    const std::lock_guard lock(mutex_);
    active_.push_back(&exchange);
}

void Engine::remove(Active& exchange) {
    const std::lock_guard lock(mutex_);
    std::erase(active_, &exchange);
}

bool Engine::progress() {
    const std::lock_guard lock(mutex_);
    bool advanced = false;
    for (std::size_t i = 0; i < active_.size(); ++i) {
        advanced |= active_[i]->progress();
    }
    return advanced;
}

bool Engine::polls_mpi() {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(active_, &Active::polls_mpi);
}

}  // namespace transrank::exchange
