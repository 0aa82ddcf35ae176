// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "transrank/mpi/point_to_point.hpp"

namespace transrank::mpi {

/// How many messages have gone to each rank, and come from it.
struct Traffic {
    std::map<int, std::uint64_t> sent{};
    std::map<int, std::uint64_t> received{};
    bool is_known = true;  ///< otherwise a message may have come or not
};

/// Persistent sends and receives, started by groups and tested all at once. Not collective, nor is
/// its destruction: what is under way then is cancelled or left to MPI.
class PersistentRequests {
public:
    /// Requests that were made together: [begin, end).
    struct Group {
        std::size_t begin = 0;
        std::size_t end = 0;
        [[nodiscard]] int size() const noexcept { return static_cast<int>(end - begin); }
    };

    PersistentRequests() = default;
    PersistentRequests(const PersistentRequests&) = delete;
    PersistentRequests& operator=(const PersistentRequests&) = delete;
    ~PersistentRequests() { abandon(); }

    /// Sends of `bytes` in messages of at most `longest` bytes, and of no more than MPI can count.
    /// The receiver must use the same `longest`; MPI keeps the messages of a pair in the order in
    /// which they are started.
    Group add_sends(std::span<const std::byte> bytes, const Partner& to, std::int64_t longest);
    Group add_receives(std::span<std::byte> bytes, const Partner& from, std::int64_t longest);

    /// The number of the next request to be added.
    [[nodiscard]] std::size_t size() const noexcept { return requests_.size(); }

    /// Starts the requests of a group in their order.
    void start(const Group& group);

    /// Whether some of a group have been started and not been reported as completed.
    [[nodiscard]] bool are_active(const Group& group) const;

    /// The numbers of requests that have completed and not been reported yet: of a group in the
    /// order in which they were started. Empty only if the next one of no group has completed.
    /// Valid until the next call.
    [[nodiscard]] std::span<const int> completed();

    /// What has been started, beside what was `before`. The number of receives is right after
    /// `abandon`.
    [[nodiscard]] Traffic traffic(Traffic before = {}) const;

    /// Frees the requests. Does not wait, except for a message that is arriving, and for that a
    /// second at most. Returns whether MPI is done with all of their buffers; if not,
    /// the buffers must be kept for ever. That happens only when a started request was never
    /// completed. Further calls say the same.
    bool abandon() noexcept;

private:
    struct Use {
        int peer;
        bool is_receive;
        std::uint64_t started = 0;
    };
    void add(MPI_Request request, int peer, bool is_receive);
    void abandon_active(std::size_t index) noexcept;
    int test_some();
    bool advance(std::span<const int> groups);

    std::vector<MPI_Request> requests_;
    std::vector<Use> uses_;               ///< of each request
    std::vector<Group> under_way_;        ///< what is left of each group that was started
    std::vector<MPI_Request> next_ones_;  ///< the first of each of these
    std::vector<int> found_;
    std::vector<MPI_Status> statuses_;  ///< of these
    std::vector<int> completed_;
    bool buffers_are_free_ = true;  ///< where no request is left
    bool is_known_ = true;          ///< what has been received
};

}  // namespace transrank::mpi
