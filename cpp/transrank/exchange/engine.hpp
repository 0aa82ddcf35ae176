// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "transrank/memory/node.hpp"
#include "transrank/transport/polling.hpp"

namespace transrank::exchange {

class Backend;

/// An exchange, as the engine sees it.
class Active {
public:
    Active() = default;
    Active(const Active&) = delete;
    Active& operator=(const Active&) = delete;
    virtual ~Active() = default;

    /// Whether anything has advanced. Errors are kept for the caller that waits for this
    /// exchange.
    virtual bool progress() noexcept = 0;
    [[nodiscard]] virtual bool is_over() const noexcept = 0;
    [[nodiscard]] virtual transport::Polling polling() const = 0;
    /// Tells the peers that nothing more will come.
    virtual void leave() noexcept = 0;
    /// The communicator of `node` has been freed: leaves if it belongs to that and is not under
    /// way, and returns what it has held. What is under way does so when it is over.
    [[nodiscard]] virtual std::unique_ptr<Backend> let_go(const memory::Node& node) = 0;

private:
    friend class Engine;
    static constexpr auto nowhere = std::numeric_limits<std::size_t>::max();
    std::atomic<std::size_t> place_ = nowhere;  ///< among those under way
};

/// What has advanced: the exchange that a call was made for, or others.
struct Advanced {
    bool own = false;
    bool others = false;
};

/// All exchanges of this process, and which of them have been started and are not over. Whoever
/// waits for one makes all of them advance, some with each call: a peer may be waiting for another
/// one first.
class Engine {
public:
    [[nodiscard]] static Engine& instance();

    /// An exchange from when it is made until it is destroyed.
    void know(Active& exchange);
    void forget(Active& exchange);

    /// Has all exchanges leave, since this process finalizes MPI.
    void leave();

    /// Has all exchanges of a communicator that has been freed let go of it, see Active.
    void let_go(const memory::Node& node);

    /// Adds one that has been started, and makes progress with it. It is removed when it is over.
    void add(Active& exchange);
    /// Afterwards no other thread makes it advance.
    void remove(Active& exchange);

    /// Makes `own`, which is under way or over, advance, and a few of the others in turn, so that a
    /// call costs as much beside ten thousand of them.
    Advanced progress(Active& own);
    /// Makes all of them advance; returns whether any has.
    bool progress();

    /// The greatest that an exchange needs.
    [[nodiscard]] transport::Polling polling();

    /// Held while exchanges advance; recursive, since progress may end an exchange.
    [[nodiscard]] std::recursive_mutex& mutex() noexcept { return mutex_; }

private:
    // The mutex is held.
    bool advance(Active& exchange);
    Advanced advance_with_others(Active& own);
    void drop(Active& exchange);

    std::recursive_mutex mutex_;
    std::unordered_set<Active*> known_;
    std::vector<Active*> active_;
    std::size_t next_ = 0;  ///< whose turn it is
};

}  // namespace transrank::exchange
