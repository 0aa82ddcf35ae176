// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "transrank/transport/failure.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::transport {

/// A peer that shares memory with this rank: its control block, and its slot in this rank's.
class SharedPeer {
public:
    SharedPeer(const Binding& binding, const PeerOffer& offer)
        : rank_(offer.rank),
          theirs_(offer.control, offer.peers),
          my_slot_there_(offer.my_slot),
          my_done_(&binding.control.done(offer.slot)),
          my_packed_(&binding.control.packed(offer.slot)),
          doorbell_(offer.doorbell) {
        if (doorbell_ == nullptr) {
            throw std::runtime_error(offer.no_doorbell);
        }
    }

    [[nodiscard]] int rank() const noexcept { return rank_; }
    void ring() { doorbell_->ring(); }

    /// The counters that the peer has published so far.
    [[nodiscard]] Started started() const { return Started::decoded(theirs_.started().seen()); }
    [[nodiscard]] std::uint64_t done() const { return theirs_.done(my_slot_there_).seen(); }
    [[nodiscard]] std::uint64_t packed() const { return theirs_.packed(my_slot_there_).seen(); }

    /// This rank has finished reading from the peer and writing to it, up to that count.
    void publish_done(std::uint64_t count) {
        my_done_->publish(count);
        ring();
    }
    /// This rank has packed what it sends to the peer, up to that count.
    void publish_packed(std::uint64_t count) {
        my_packed_->publish(count);
        ring();
    }

    /// Throws BrokenExchange when the peer will publish nothing more although it `owes()`
    /// something, which is asked after that is known.
    template <class Owes>
    void check_owing(const Owes& owes) const {
        const auto word = theirs_.broken().seen();
        if (word != 0 && owes()) {
            check_unbroken(word);
        }
    }

private:
    int rank_;
    ControlBlock::View theirs_;
    std::size_t my_slot_there_;
    Flag* my_done_;
    Flag* my_packed_;
    memory::Doorbell* doorbell_;
};

/// Why this rank cannot share memory with a peer of the binding; empty when it can.
[[nodiscard]] inline std::string reason_against_sharing(const Binding& binding,
                                                        const PeerOffer& peer) {
    return peer.rank == binding.route.rank() ? "the rank itself" : peer.reason_against_sharing;
}

/// What the transports within a node have in common. A `Peer` is a SharedPeer that says whether it
/// is finished() in this epoch, and whether it owes() something.
template <class Peer>
class SharedTransport : public Transport {
public:
    [[nodiscard]] bool done() const override {
        return std::ranges::all_of(peers_, &Peer::finished);
    }

    [[nodiscard]] std::vector<int> awaited() const override {
        std::vector<int> ranks;
        for (const auto& peer : peers_) {
            if (!peer.finished() && peer.owes()) {
                ranks.push_back(peer.rank());
            }
        }
        return ranks;
    }

    // Unless it already has.
    void announce(const Failure& failure, std::uint64_t /*completed*/) override {
        if (binding_.control.broken().seen() == 0) {
            binding_.control.broken().publish(failure.encoded());
        }
        for (auto& peer : peers_) {
            peer.ring();
        }
    }

protected:
    explicit SharedTransport(const Binding& binding) : binding_(binding) {}

    bool progress_each() {
        bool advanced = false;
        for (auto& peer : peers_) {
            advanced |= !peer.finished() && peer.progress(binding_);
        }
        return advanced;
    }

    const Binding& binding_;
    std::vector<Peer> peers_;
};

}  // namespace transrank::transport
