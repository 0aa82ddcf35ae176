// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/known_communicator.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <mutex>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "transrank/exchange/backoff.hpp"
#include "transrank/exchange/engine.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/transport/breakage.hpp"

namespace transrank::exchange {

using transport::Breakage;
using transport::BrokenExchange;

namespace {

/// Looks for a rank that has ended while this one waits for it: one of this node, or on a `known`
/// communicator one that parts.
class Watch {
public:
    Watch(MPI_Comm comm, bool known) : comm_(comm), known_(known) {}

    /// Throws BrokenExchange when such a rank was seen a while ago. What it did before it ended may
    /// be on its way still, and then what is waited for will be over.
    void look() {
        if (!due_.is_due()) {
            return;
        }
        if (const auto left = rank_that_has_left()) {
            const auto now = Clock::now();
            seen_ = seen_.value_or(now);
            if (now - *seen_ > enough) {
                throw BrokenExchange({.cause = Breakage::Cause::absent, .rank = *left});
            }
        }
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds look_at_peers{100};
    static constexpr std::chrono::seconds enough{1};

    [[nodiscard]] std::optional<int> rank_that_has_left() const {
        auto left = memory::rank_that_has_left(comm_);
        int parts = 0;
        MPI_Status status{};
        if (!left && known_) {
            mpi::check(MPI_Iprobe(MPI_ANY_SOURCE, transport::parting_tag, comm_, &parts, &status),
                       "MPI_Iprobe");
        }
        return parts != 0 ? status.MPI_SOURCE : left;
    }

    MPI_Comm comm_;
    bool known_;
    Recurring due_{look_at_peers};
    std::optional<Clock::time_point> seen_;
};

// A peer may come only after a wait in which it needs this rank.
MPI_Comm met(MPI_Comm comm, bool known, std::span<std::uint64_t> sums = {}) {
    Watch watch(comm, known);
    mpi::come_together(comm, sums, [&] {
        Engine::instance().progress();
        watch.look();
    });
    return comm;
}

// Collective, when the ranks meet for the first time.
std::uint64_t agreed_number(MPI_Comm comm) {
    std::random_device random;
    constexpr int half = 32;
    std::uint64_t sum = (std::uint64_t{random()} << half) | random();
    (void)met(comm, false, std::span(&sum, 1));
    return sum;
}

}  // namespace

std::shared_ptr<KnownCommunicator> KnownCommunicator::get(MPI_Comm comm) {
    if (auto known = mpi::attached_to(comm)) {
        return std::static_pointer_cast<KnownCommunicator>(std::move(known));
    }
    auto known = std::make_shared<KnownCommunicator>(comm);
    mpi::attach(comm, known);
    return known;
}

// On several nodes.
struct KnownCommunicator::Unparted {
    std::mutex mutex;
    std::vector<KnownCommunicator*> all;

    static Unparted& instance() {
        static auto* const unparted = new Unparted;  // never destroyed: used by MPI_Finalize
        return *unparted;
    }
};

KnownCommunicator::KnownCommunicator(MPI_Comm comm)
    : number_((notice_finalization(), agreed_number(comm))), base_(comm), node_(base_) {
    if (node_.ranks().size() < static_cast<std::size_t>(base_.size())) {
        auto& unparted = Unparted::instance();
        const std::lock_guard lock(unparted.mutex);
        unparted.all.push_back(this);
    }
}

// Node-mates hear of the end first, by what a node does then: MPI deletes attributes in the reverse
// order.
void KnownCommunicator::notice_finalization() {
    [[maybe_unused]] static const bool noticed = (mpi::before_finalize(part_from_all), true);
}

void KnownCommunicator::part_from_all() noexcept {
    Engine::instance().leave();
    auto& all = Unparted::instance().all;
    // Threads may have made them in another order elsewhere.
    std::ranges::sort(all, {}, &KnownCommunicator::number_);
    while (!all.empty()) {
        auto* const first = all.front();
        (void)first->part(false);
        std::erase(all, first);
        const auto last_use = std::move(first->until_the_end_);
    }
}

// MPI_Finalize need not wait for anybody. A message to a rank that has left may fail or never
// return, and MPI wants each one to be received (MPI 4.1, 11.2.2).
bool KnownCommunicator::part(bool needed) noexcept {
    auto& unparted = Unparted::instance();
    {
        const std::lock_guard lock(unparted.mutex);
        if (std::ranges::count(unparted.all, this) == 0) {
            return needed;
        }
    }
    try {
        needed = mpi::come_together_by_messages(base_, transport::parting_tag, needed,
                                                [] { Engine::instance().progress(); });
        if (needed) {  // who holds an exchange still has said nothing yet
            until_the_end_ = shared_from_this();
            return true;
        }
        communicators_.receive_last();
        tags_.receive_last();
    } catch (const mpi::Error&) {  // it is the end anyway
        needed = true;
    }
    const std::lock_guard lock(unparted.mutex);
    std::erase(unparted.all, this);
    return needed;
}

KnownCommunicator::~KnownCommunicator() {
    if (!may_free_) {
        base_.leak();
    }
}

// An exchange that outlives the user's communicator keeps this alive; when that ends is not known
// to other ranks, and so nothing can be freed then. It tells its peers when it is dropped, so on
// several nodes all ranks part once more when MPI is finalized.
void KnownCommunicator::detached(bool finalizing, bool others_hold_it) noexcept {
    const bool needed = part(others_hold_it);
    if (!finalizing && !needed && absent_ < 0) {
        may_free_ = true;
        communicators_.allow_freeing();
        tags_.allow_freeing();
    }
}

const mpi::Communicator& KnownCommunicator::meet(std::span<std::uint64_t> sums) {
    if (absent_ >= 0) {
        throw BrokenExchange({.cause = Breakage::Cause::absent, .rank = absent_});
    }
    try {
        (void)met(base_.handle(), true, sums);
    } catch (const BrokenExchange& error) {
        absent_ = error.breakage().rank;
        throw;
    }
    return base_;
}

mpi::CommunicatorPool::Lease KnownCommunicator::acquire() {
    auto lease = acquire_from(communicators_, true, {});
    return *std::move(lease);  // NOLINT(bugprone-unchecked-optional-access): it was needed
}

std::optional<mpi::CommunicatorPool::Lease> KnownCommunicator::acquire_tags_if_needed(
    bool needed, std::span<std::uint64_t> sums) {
    return acquire_from(tags_, needed, sums);
}

std::optional<mpi::CommunicatorPool::Lease> KnownCommunicator::acquire_from(
    mpi::CommunicatorPool& pool, bool needed, std::span<std::uint64_t> sums) {
    auto words = pool.states();
    const auto states = words.size();
    words.push_back(needed ? 1 : 0);
    words.insert(words.end(), sums.begin(), sums.end());
    (void)meet(words);
    std::copy(words.end() - std::ssize(sums), words.end(), sums.begin());
    if (words[states] == 0) {
        return std::nullopt;
    }
    return pool.acquire(std::span(words).first(states));
}

const transport::Thresholds& KnownCommunicator::thresholds() {
    if (!thresholds_) {
        thresholds_ =
            std::make_unique<transport::Thresholds>(transport::thresholds_of(base_, node_));
    }
    return *thresholds_;
}

}  // namespace transrank::exchange
