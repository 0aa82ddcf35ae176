// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/notices.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::transport {
namespace {

constexpr unsigned calls_between_looks = 16;

std::vector<int> ranks_of(std::span<const PeerOffer* const> peers) {
    std::vector<int> ranks;
    std::ranges::transform(peers, std::back_inserter(ranks), &PeerOffer::rank);
    return ranks;
}

}  // namespace

Notices::Notices(const Binding& binding, std::span<const PeerOffer* const> peers)
    : Notices(*binding.messages, ranks_of(peers),
              std::ranges::any_of(
                  peers, [](const PeerOffer* peer) { return peer->receive == nullptr; })) {}

Notices::Notices(mpi::CommunicatorPool::Lease& lease, std::vector<int> peers, bool sends_one_way,
                 Tag tag)
    : comm_(lease.comm()),
      lease_(lease),
      tag_(lease.tag(tag)),
      peers_(std::move(peers)),
      sends_one_way_(sends_one_way) {
    std::erase(peers_, comm_.rank());
    silent_ = peers_;
}

void Notices::send(const Breakage& breakage, std::uint64_t completed) {
    if (!mpi::is_usable() || !mpi::may_call_here()) {
        return;
    }
    const Notice notice{.breakage = breakage.encoded(), .completed = completed};
    if (breakage.cause == Breakage::Cause::gone && breakage.rank == comm_.rank()) {
        say_goodbye(notice);
    } else {
        complain(notice, breakage.rank);
    }
}

void Notices::say_goodbye(const Notice& notice) {
    for (const int peer : silent_) {
        lease_.expect_last(peer, tag_);
    }
    for (const int peer : peers_) {
        lease_.send_last(peer, tag_, std::as_bytes(std::span(&notice, 1)));
    }
}

// Nobody waits for the sends, and the communicator is never used again.
void Notices::complain(const Notice& notice, int origin) {
    const auto kept = std::make_shared<Notice>(notice);
    mpi::keep_for_ever(kept);
    for (const int peer : peers_) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (peer != origin) {
            mpi::check(MPI_Isend(kept.get(), sizeof(Notice), MPI_BYTE, peer, tag_, comm_.handle(),
                                 &request),
                       "MPI_Isend");
            mpi::check(MPI_Request_free(&request), "MPI_Request_free");
        }
    }
}

void Notices::check_before(std::uint64_t epoch) {
    // A peer that this rank only sends to is not waited for: it would not be noticed otherwise.
    if (sends_one_way_) {
        look();
    }
    check(epoch);
}

void Notices::check_now_and_then(std::uint64_t epoch) {
    if (++idle_calls_ % calls_between_looks == 0) {
        look();
    }
    check(epoch);
}

void Notices::look() {
    int there = 0;
    MPI_Status status{};
    mpi::check(MPI_Iprobe(MPI_ANY_SOURCE, tag_, comm_.handle(), &there, &status), "MPI_Iprobe");
    if (there != 0) {
        Notice notice;
        mpi::check(MPI_Recv(&notice, sizeof(notice), MPI_BYTE, status.MPI_SOURCE, tag_,
                            comm_.handle(), MPI_STATUS_IGNORE),
                   "MPI_Recv");
        std::erase(silent_, status.MPI_SOURCE);
        if (received_.breakage == 0 || notice.completed < received_.completed) {
            received_ = notice;
        }
    }
}

void Notices::check(std::uint64_t epoch) const {
    if (received_.completed < epoch) {
        check_unbroken(received_.breakage);
    }
}

}  // namespace transrank::transport
