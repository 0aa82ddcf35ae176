// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/engine.hpp"

#include <algorithm>

#include "transrank/exchange/backend.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::exchange {
namespace {

// So many at most advance with a call for another one.
constexpr std::size_t most_others = 8;

}  // namespace

Engine& Engine::instance() {
    return mpi::lasting<Engine>();
}

void Engine::know(Active& exchange) {
    const std::lock_guard lock(mutex_);
    if (active_.capacity() <= known_.size()) {  // so that a start needs no memory
        active_.reserve(2 * known_.size() + 1);
    }
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

void Engine::let_go(const memory::Node& node) {
    std::vector<std::unique_ptr<Backend>>
        last_uses;  // without the mutex: it may need Python's lock
    const std::lock_guard lock(mutex_);
    last_uses.reserve(known_.size());
    for (auto* exchange : known_) {
        last_uses.push_back(exchange->let_go(node));
    }
}

void Engine::add(Active& exchange) {
    const std::lock_guard lock(mutex_);
    active_.push_back(&exchange);
    exchange.place_.store(active_.size() - 1, std::memory_order_relaxed);
    advance_with_others(exchange);
}

void Engine::remove(Active& exchange) {
    // Only its owner adds it: one that is not there stays away until then.
    if (exchange.place_.load(std::memory_order_acquire) != Active::nowhere) {
        const std::lock_guard lock(mutex_);
        drop(exchange);
    }
}

// The last one takes its place.
void Engine::drop(Active& exchange) {
    const auto place = exchange.place_.load(std::memory_order_relaxed);
    if (place == Active::nowhere) {
        return;
    }
    auto* const last = active_.back();
    active_.pop_back();
    if (last != &exchange) {
        active_[place] = last;
        last->place_.store(place, std::memory_order_relaxed);
    }
    // Last of all: its owner may destroy it now.
    exchange.place_.store(Active::nowhere, std::memory_order_release);
}

bool Engine::advance(Active& exchange) {
    const bool advanced = exchange.progress();
    if (exchange.is_over()) {
        drop(exchange);
    }
    return advanced;
}

Advanced Engine::advance_with_others(Active& own) {
    Advanced advanced{.own = advance(own), .others = false};
    for (auto left = std::min(active_.size(), most_others); left > 0 && !active_.empty(); --left) {
        next_ = next_ < active_.size() ? next_ : 0;
        auto* const other = active_[next_++];
        advanced.others |= other != &own && advance(*other);
    }
    return advanced;
}

Advanced Engine::progress(Active& own) {
    const std::lock_guard lock(mutex_);
    return advance_with_others(own);
}

bool Engine::progress() {
    const std::lock_guard lock(mutex_);
    bool advanced = false;
    for (auto i = active_.size(); i > 0; --i) {
        advanced |= advance(*active_[i - 1]);
    }
    return advanced;
}

transport::Polling Engine::polling() {
    const std::lock_guard lock(mutex_);
    auto most = transport::Polling::none;
    for (const auto* exchange : active_) {
        most = std::max(most, exchange->polling());
        if (most == transport::Polling::own) {
            break;
        }
    }
    return most;
}

}  // namespace transrank::exchange
