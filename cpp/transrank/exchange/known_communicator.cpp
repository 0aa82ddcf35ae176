// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/known_communicator.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <new>
#include <random>
#include <utility>
#include <vector>

#include "transrank/exchange/backoff.hpp"
#include "transrank/exchange/engine.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/mpi/point_to_point.hpp"

namespace transrank::exchange {

using transport::BrokenExchange;
using transport::Failure;

namespace {

using Holder = std::shared_ptr<KnownCommunicator>;

extern "C" int transrank_detach(MPI_Comm comm, int /*key*/, void* value, void* /*extra*/) {
    const std::unique_ptr<Holder> holder(static_cast<Holder*>(value));
    // Nobody can free these two but MPI_Finalize.
    const bool finalizing = comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF;
    (*holder)->detached(finalizing);
    return MPI_SUCCESS;
}

// Never freed: attributes are deleted as late as in MPI_Finalize.
int attribute() {
    static const int made = [] {
        int key = MPI_KEYVAL_INVALID;
        mpi::check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, transrank_detach, &key, nullptr),
                   "MPI_Comm_create_keyval");
        return key;
    }();
    return made;
}

}  // namespace

/// Looks for a rank that will not come to where this one waits for it: it has ended, as one of this
/// node, or on a `known` communicator it parts, or has failed alone.
class KnownCommunicator::Watch {
public:
    Watch(MPI_Comm comm, bool known) : comm_(comm), known_(known) {}

    /// Makes started exchanges advance: a peer may come only after a wait in which it needs this
    /// rank. Throws BrokenExchange when such a rank was seen a while ago. What it did before may be
    /// on its way still, and then what is waited for will be over. `idle_rounds` begin with each
    /// wait.
    void look(int idle_rounds) {
        Engine::instance().progress();
        if (idle_rounds == 0) {
            due_.reset();
            seen_.reset();
        }
        if (!due_.is_due()) {
            return;
        }
        if (const auto found = find()) {
            const auto now = Clock::now();
            seen_ = seen_.value_or(now);
            if (now - *seen_ > enough) {
                throw BrokenExchange(*found);
            }
        }
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds look_at_peers{100};
    static constexpr std::chrono::seconds enough{1};

    [[nodiscard]] std::optional<Failure> find() const {
        if (const auto left = memory::rank_that_has_left(comm_)) {
            return Failure{.cause = Failure::Cause::absent, .rank = *left};
        }
        if (known_) {
            for (const auto& [tag, cause] : {std::pair(transport::parting_tag, absent),
                                             std::pair(transport::failure_tag, alone)}) {
                if (const auto status = mpi::arrived(comm_, MPI_ANY_SOURCE, tag)) {
                    return Failure{.cause = cause, .rank = status->MPI_SOURCE};
                }
            }
        }
        return std::nullopt;
    }
    static constexpr auto absent = Failure::Cause::absent;
    static constexpr auto alone = Failure::Cause::alone;

    MPI_Comm comm_;
    bool known_;
    Recurring due_{look_at_peers};
    std::optional<Clock::time_point> seen_;
};

// Collective, when the ranks meet for the first time.
std::uint64_t KnownCommunicator::agreed_number(MPI_Comm comm) {
    std::random_device random;
    constexpr int half = 32;
    const auto own = (std::uint64_t{random()} << half) | random();
    Watch watch(comm, false);
    return mpi::summed(comm, own, [&](int idle_rounds) { watch.look(idle_rounds); });
}

std::shared_ptr<KnownCommunicator> KnownCommunicator::get(MPI_Comm comm) {
    mpi::require_communicator(comm);
    void* value = nullptr;
    int found = 0;
    mpi::check(MPI_Comm_get_attr(comm, attribute(), &value, &found), "MPI_Comm_get_attr");
    if (found != 0) {
        return *static_cast<Holder*>(value);
    }
    auto holder = std::make_unique<Holder>(std::make_shared<KnownCommunicator>(comm));
    mpi::check(MPI_Comm_set_attr(comm, attribute(), holder.get()), "MPI_Comm_set_attr");
    return *holder.release();  // MPI holds it now
}

// On several nodes.
struct KnownCommunicator::Unparted {
    std::mutex mutex;
    std::vector<KnownCommunicator*> all;
};

KnownCommunicator::KnownCommunicator(MPI_Comm comm)
    : number_((notice_finalization(), agreed_number(comm))),
      base_(comm),
      node_(base_),
      watch_(std::make_unique<Watch>(base_.handle(), true)) {
    base_.state()->meanwhile = [this](int idle_rounds) { while_waiting(idle_rounds); };
    if (node_.ranks().size() < static_cast<std::size_t>(base_.size())) {
        auto& unparted = mpi::lasting<Unparted>();
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
    auto& all = mpi::lasting<Unparted>().all;
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
    auto& unparted = mpi::lasting<Unparted>();
    {
        const std::lock_guard lock(unparted.mutex);
        if (std::ranges::count(unparted.all, this) == 0) {
            return needed;
        }
    }
    try {
        needed = mpi::come_together_by_messages(base_, transport::parting_tag, needed,
                                                [](int) { Engine::instance().progress(); });
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

// Exchanges that are over let go of this here. One that is under way keeps it; when that ends is
// not known to other ranks, and so nothing can be freed then. It tells its peers when it is over,
// so on several nodes all ranks part once more when MPI is finalized.
void KnownCommunicator::detached(bool finalizing) noexcept {
    if (!finalizing) {
        try {
            Engine::instance().let_go(node_);
        } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): then they keep it, too
        }
    }
    const bool needed = part(weak_from_this().use_count() > 1);
    if (!finalizing && !needed && failure_.cause == Failure::Cause::none) {
        may_free_ = true;
        communicators_.allow_freeing();
        tags_.allow_freeing();
    }
}

void KnownCommunicator::while_waiting(int idle_rounds) {
    try {
        watch_->look(idle_rounds);
    } catch (const BrokenExchange& error) {
        failure_ = error.failure();
        throw;
    }
}

// Needs no memory of ours: it may be what is lacking.
void KnownCommunicator::fail_alone() noexcept {
    if (failure_.cause != Failure::Cause::none) {
        return;
    }
    failure_ = {.cause = Failure::Cause::alone, .rank = rank()};
    for (int other = 0; other < base_.size() && mpi::is_usable(); ++other) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (other != rank() && MPI_Isend(nullptr, 0, MPI_BYTE, other, transport::failure_tag,
                                         base_.handle(), &request) == MPI_SUCCESS) {
            MPI_Request_free(&request);
        }
    }
}

const mpi::Communicator& KnownCommunicator::unbroken() const {
    mpi::require_usable();
    if (failure_.cause != Failure::Cause::none) {
        throw BrokenExchange(failure_);
    }
    return base_;
}

const mpi::Communicator& KnownCommunicator::meet(std::span<std::uint64_t> sums) {
    mpi::meet(unbroken(), sums);
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
    bool failed = false;
    try {
        pool.prepare();
    } catch (const std::bad_alloc&) {
        failed = true;
    }
    const auto own = pool.states();
    std::array<std::uint64_t, mpi::most_sums> words{needed ? 1U : 0U, failed ? 1U : 0U};
    const auto states = std::span(words).subspan(2, own.size());
    const auto further = std::span(words).subspan(2 + own.size(), sums.size());
    std::ranges::copy(own, states.begin());
    std::ranges::copy(sums, further.begin());
    (void)meet(words);
    std::ranges::copy(further, sums.begin());
    if (words[1] != 0) {
        mpi::throw_first(base_, failed, {});
    }
    if (words[0] == 0) {
        return std::nullopt;
    }
    return pool.acquire(states);
}

}  // namespace transrank::exchange
