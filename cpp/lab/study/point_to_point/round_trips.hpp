// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "lab/study/point_to_point/message.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study {

/// A ping-pong of this rank with `peer`; the lower rank begins. `Self` has send_one(i), which sends
/// the message of slot i with `tag`. Without a peer, MPI_PROC_NULL, the rank stays idle.
template <class Self>
class RoundTrips : public MessageOperation {
public:
    static constexpr int tag = 11;

    /// Between the two ranks of a communicator of two.
    RoundTrips(const measure::Case& point, const Setting& setting)
        : RoundTrips(point, setting, 1 - setting.comm.rank()) {}
    RoundTrips(const measure::Case& point, const Setting& setting, int peer)
        : MessageOperation(point, setting, peer, peer), match_(match_of(point, peer, tag)) {}

    [[nodiscard]] bool takes_part() const final { return target() != MPI_PROC_NULL; }

    void run(std::int64_t repetitions) final {
        if (!takes_part()) {
            return;
        }
        auto& self = static_cast<Self&>(*this);
        const bool begins = rank() < target();
        for (std::int64_t i = 0; i < repetitions; ++i) {
            if (begins) {
                self.send_one(i);
                receive_one(i);
            } else {
                receive_one(i);
                self.send_one(i);
            }
        }
    }

private:
    void receive_one(std::int64_t i) {
        mpi::check(MPI_Recv(receive(i), bytes(), MPI_BYTE, match_.source, match_.tag, comm(),
                            MPI_STATUS_IGNORE),
                   "MPI_Recv");
    }

    Match match_;
};

/// By MPI_Send.
class PingPong final : public RoundTrips<PingPong> {
public:
    using RoundTrips::RoundTrips;
    void send_one(std::int64_t i) {
        mpi::check(MPI_Send(send(i), bytes(), MPI_BYTE, target(), tag, comm()), "MPI_Send");
    }
};

}  // namespace transrank::lab::study
