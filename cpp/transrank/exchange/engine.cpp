// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/engine.hpp"

#include <algorithm>
#include <utility>

namespace transrank::exchange {
namespace {

// So many at most advance with a call for another one.
constexpr std::size_t most_others = 8;

}  // namespace

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
    exchange.place_ = active_.size() - 1;
}

// The last one takes its place.
void Engine::remove(Active& exchange) {
    const std::lock_guard lock(mutex_);
    const auto place = std::exchange(exchange.place_, Active::nowhere);
    if (place == Active::nowhere) {
        return;
    }
    auto* const last = active_.back();
    active_.pop_back();
    if (last != &exchange) {
        active_[place] = last;
        last->place_ = place;
    }
}

bool Engine::advance(Active& exchange) {
    const bool advanced = exchange.progress();
    if (exchange.is_over()) {
        remove(exchange);
    }
    return advanced;
}

bool Engine::progress(Active& own) {
    const std::lock_guard lock(mutex_);
    bool advanced = advance(own);
    for (auto left = std::min(active_.size(), most_others); left > 0 && !active_.empty(); --left) {
        next_ = next_ < active_.size() ? next_ : 0;
        auto* const other = active_[next_++];
        advanced |= other != &own && advance(*other);
    }
    return advanced;
}

bool Engine::progress() {
    const std::lock_guard lock(mutex_);
    bool advanced = false;
    for (auto i = active_.size(); i > 0; --i) {
        advanced |= advance(*active_[i - 1]);
    }
    return advanced;
}

bool Engine::polls_mpi() {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(active_, &Active::polls_mpi);
}

}  // namespace transrank::exchange
