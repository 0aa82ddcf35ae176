// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/communicator_pool.hpp"
#include "transrank/transport/breakage.hpp"
#include "transrank/transport/offer.hpp"
#include "transrank/transport/tags.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::transport {

/// How peers that may be on other nodes learn that an exchange is broken, or destroyed: by a
/// message that nobody has asked for, and that is looked for only while nothing else arrives. So
/// there is no receive to be cancelled in the end.
class Notices {
public:
    Notices(const Binding& binding, std::span<const PeerOffer* const> peers);
    /// `sends_one_way`: whether data go to a peer of which nothing is waited for. No two of an
    /// exchange may have the same tag.
    Notices(mpi::CommunicatorPool::Lease& lease, std::vector<int> peers, bool sends_one_way,
            Tag tag = notice_tag);

    /// Notifies every peer but the one where it began; of the epochs up to `completed` this rank
    /// owes them nothing. Does not wait. When this rank leaves without an error, each peer sends
    /// such a notice, too, which is received before the communicator is used again.
    void send(const Breakage& breakage, std::uint64_t completed);

    /// To be called when `epoch` begins. Throws BrokenExchange when it is known that some peer has
    /// not completed it and never will.
    void check_before(std::uint64_t epoch);

    /// The same, to be called when nothing has arrived; looks now and then.
    void check_now_and_then(std::uint64_t epoch);

private:
    struct Notice {
        std::uint64_t breakage = 0;
        std::uint64_t completed = 0;
    };
    void say_goodbye(const Notice& notice);
    void complain(const Notice& notice, int origin);
    void look();
    void check(std::uint64_t epoch) const;

    const mpi::Communicator& comm_;
    mpi::CommunicatorPool::Lease& lease_;
    int tag_;
    std::vector<int> peers_;
    std::vector<int> silent_;  ///< the peers that have sent no notice
    bool sends_one_way_;
    unsigned idle_calls_ = 0;
    Notice received_;  ///< the one that leaves the fewest epochs
};

}  // namespace transrank::transport
