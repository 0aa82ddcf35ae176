// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace transrank::mpi {

/// Work to be done while a rank waits in a collective operation, so that peers which need it
/// elsewhere get there, too; throws when the wait is in vain. May be empty. `idle_rounds`: how
/// often this wait has called it before.
using Meanwhile = std::function<void(int idle_rounds)>;

/// Returns when all requests have completed; calls `meanwhile` again and again until then. When
/// that throws MPI may still use `memory`, which is kept for ever.
void complete(std::span<MPI_Request> requests, const std::shared_ptr<void>& memory,
              const Meanwhile& meanwhile);

/// Whether it has, without waiting.
[[nodiscard]] bool is_complete(MPI_Request& request,
                               std::source_location where = std::source_location::current());

/// Lets others run: `idle_rounds` says how often this was called without anything having happened
/// in between. The ranks waited for may need this core.
void pause(int idle_rounds);

/// Calls `is_over` until it returns true.
template <class IsOver>
void wait_until(const IsOver& is_over, const Meanwhile& meanwhile) {
    for (int idle_rounds = 0; !is_over(); ++idle_rounds) {
        if (meanwhile) {
            meanwhile(idle_rounds);
        }
        pause(idle_rounds);
    }
}

/// Throws Misuse where there is no MPI to be used (begin_to_use), and std::invalid_argument for
/// MPI_COMM_NULL and intercommunicators: on this rank alone, which has no peers, or on all ranks.
void require_communicator(MPI_Comm comm);

/// A private communicator, freed on destruction; its errors are returned and thrown as mpi::Error.
///
/// A duplicate keeps our messages from matching the caller's and leaves the caller's error handler
/// alone. Freeing is collective: every rank destroys its communicators in the same order. What is
/// destroyed at any time leases one from a CommunicatorPool instead. One that outlives
/// MPI_Finalize is let go without a call.
class Communicator {
public:
    /// Collective. Duplicates `comm`.
    explicit Communicator(MPI_Comm comm);
    ~Communicator();

    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    Communicator(Communicator&& other) noexcept { *this = std::move(other); }
    Communicator& operator=(Communicator&& other) noexcept {
        std::swap(comm_, other.comm_);
        std::swap(rank_, other.rank_);
        std::swap(size_, other.size_);
        std::swap(state_, other.state_);
        return *this;
    }

    /// Not collective. Null, until it becomes a duplicate: what needs memory is done.
    Communicator() = default;

    /// Collective. This null communicator becomes a duplicate of `other`, whose ranks wait for each
    /// other in the same way.
    void duplicate(const Communicator& other);

    /// Collective. The ranks that pass the same `color`, in rank order; ranks that pass
    /// MPI_UNDEFINED get a null communicator.
    [[nodiscard]] Communicator split(int color) const;

    /// Collective. The ranks that can share memory with this one.
    [[nodiscard]] Communicator split_node() const;

    /// Whether a message waits here that nobody has received.
    [[nodiscard]] bool has_unmatched_message() const;

    /// Drops the handle without freeing it: for a communicator with an operation under way that
    /// can neither be waited for nor cancelled, or with unmatched messages, which MPICH 5 answers
    /// by ending the job.
    void leak() noexcept { comm_ = MPI_COMM_NULL; }

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return size_; }
    [[nodiscard]] MPI_Comm handle() const noexcept { return comm_; }

    /// What stays in its place when the communicator is moved, and for ever where MPI may use it.
    struct State {
        Meanwhile meanwhile;    ///< what is done in every wait for its ranks
        std::string_view call;  ///< the collective call that this rank makes
        /// For operations with short arguments: what goes in, and what comes out.
        std::array<std::array<std::byte, 512>, 2> words;
    };
    [[nodiscard]] const std::shared_ptr<State>& state() const noexcept { return state_; }

    // What is done meanwhile is done here.
    template <class IsOver>
    void wait_until(const IsOver& is_over) const {
        mpi::wait_until(is_over, state_->meanwhile);
    }
    void complete(std::span<MPI_Request> requests, const std::shared_ptr<void>& memory) const {
        mpi::complete(requests, memory, state_->meanwhile);
    }

private:
    void adopt();

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// These ranks of `from` as ranks of `to`, MPI_UNDEFINED where they are none. Not collective.
[[nodiscard]] std::vector<int> translated(const std::vector<int>& ranks, MPI_Comm from,
                                          MPI_Comm to);

/// Collective. The sum over all ranks of `comm`; calls `meanwhile` until all have come. Its
/// exceptions are passed on, while the others may wait for ever.
[[nodiscard]] std::uint64_t summed(MPI_Comm comm, std::uint64_t number, const Meanwhile& meanwhile);

/// Collective. Returns, when all ranks of `comm` have come, whether `any` holds on some of them;
/// even if `comm` has collective operations under way that some ranks have given up: a barrier by
/// dissemination (Hensgen, Finkel, Manber, 1988), by messages with this tag.
[[nodiscard]] bool come_together_by_messages(const Communicator& comm, int tag, bool any,
                                             const Meanwhile& meanwhile);

}  // namespace transrank::mpi
