// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "transrank/mpi/communicator.hpp"
#include "transrank/transport/breakage.hpp"
#include "transrank/transport/offer.hpp"

namespace transrank::transport {

/// How peers that may be on other nodes learn that an exchange is broken: by a message that nobody
/// has asked for, and that is looked for only while nothing else arrives. So there is no receive
/// to be cancelled in the end.
class Notices {
public:
    Notices(const mpi::Communicator& comm, std::span<const PeerOffer* const> peers);

    /// Tells every peer but the one where it began. Does not wait.
    void send(const Breakage& breakage);

    /// To be called when nothing has arrived; looks now and then. Throws BrokenExchange.
    void check_now_and_then();

    /// The same where that would not be noticed otherwise: a peer that this rank only sends to is
    /// not waited for.
    void check_before_start();

private:
    void check();

    const mpi::Communicator& comm_;
    std::vector<int> peers_;
    bool sends_one_way_;
    unsigned idle_calls_ = 0;
};

}  // namespace transrank::transport
