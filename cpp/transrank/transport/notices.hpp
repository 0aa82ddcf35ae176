// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/communicator_pool.hpp"
#include "transrank/mpi/persistent_requests.hpp"
#include "transrank/transport/failure.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::transport {

/// How peers that may be on other nodes learn that an exchange is broken, or destroyed: by a
/// message that nobody has asked for, and that is looked for only while nothing else arrives. So
/// there is no receive to be cancelled in the end.
class Notices {
public:
    /// `sends_one_way`: whether data go to a peer of which nothing is waited for. No two of an
    /// exchange may have the same tag.
    Notices(mpi::CommunicatorPool::Lease& lease, std::span<const int> peers, bool sends_one_way,
            Tag tag = notice_tag);

    /// Tells every peer that has not ended that this rank sends nothing more, and that it owes
    /// nothing of the epochs up to `completed`. Only the first call does. Does not wait.
    void send(const Failure& failure, std::uint64_t completed, const mpi::Traffic& traffic);

    /// This rank waits for nothing more. Its peers' notices and all their messages that it has not
    /// received are received before the communicator is used again. Returns false if their number
    /// is unknown.
    [[nodiscard]] bool leave(const mpi::Traffic& traffic);

    /// To be called when `epoch` begins. Throws BrokenExchange when it is known that some peer has
    /// not completed it and never will.
    void check_before(std::uint64_t epoch);

    /// The same, to be called when nothing has arrived; looks now and then.
    void check_now_and_then(std::uint64_t epoch);

private:
    struct Peer {
        int rank;
        std::optional<std::uint64_t> sent;  ///< to this rank, as its notice says
    };
    void look();
    void check(std::uint64_t epoch) const;

    const mpi::Communicator& comm_;
    mpi::CommunicatorPool::Lease& lease_;
    int tag_;
    int data_tag_;
    std::vector<Peer> peers_;
    bool sends_one_way_;
    bool is_sent_ = false;
    unsigned idle_calls_ = 0;
    std::uint64_t failure_ = 0;    ///< of the notice that leaves the fewest epochs
    std::uint64_t completed_ = 0;  ///< of these
};

}  // namespace transrank::transport
