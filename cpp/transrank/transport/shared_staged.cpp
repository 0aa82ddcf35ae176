// SPDX-License-Identifier: BSD-3-Clause
// Shared memory, two copies, for arrays that the user allocated: the sender packs into a segment
// that the receiver unpacks from. The segment has two halves used in turn, so a sender may be one
// exchange ahead of its receiver and its sources are free as soon as they are packed.
#include <algorithm>
#include <array>

#include "transrank/mpi/error.hpp"
#include "transrank/transport/moves.hpp"
#include "transrank/transport/table.hpp"

namespace transrank::transport {
namespace {

constexpr int tag = 2;
constexpr std::uint64_t halves = 2;
constexpr std::size_t line_bytes = 64;

std::size_t half_bytes(const route::Leg* leg, std::span<const Field> fields) {
    const auto bytes = leg == nullptr ? 0 : static_cast<std::size_t>(packed_bytes(*leg, fields));
    return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}

class Peer {
public:
    Peer(const Binding& binding, const PeerOffer& offer)
        : rank_(offer.rank),
          sends_(offer.send != nullptr),
          receives_(offer.receive != nullptr),
          theirs_(offer.control, offer.peers),
          my_slot_there_(offer.my_slot),
          my_packed_(binding.control.packed(offer.slot)),
          my_done_(binding.control.done(offer.slot)),
          doorbell_(binding.node.doorbell(offer.rank)),
          outbox_(std::make_unique<memory::SharedSegment>(
              halves * half_bytes(offer.send, binding.fields))) {}

    // Swaps the handles of the outboxes; the pair knows of each other, so a plain exchange serves.
    void open(const Binding& binding, const PeerOffer& offer) {
        const auto own = outbox_->handle();
        memory::SegmentHandle theirs;
        mpi::check(MPI_Sendrecv(&own, sizeof(own), MPI_BYTE, rank_, tag, &theirs, sizeof(theirs),
                                MPI_BYTE, rank_, tag, binding.comm.handle(), MPI_STATUS_IGNORE),
                   "MPI_Sendrecv");
        inbox_ = memory::MappedSegment::get(theirs);
        for (std::uint64_t half = 0; half < halves; ++half) {
            if (sends_) {
                auto* buffer =
                    outbox_->bytes().data() + (half * half_bytes(offer.send, binding.fields));
                packing_[half] = make_packing(*offer.send, binding.fields, buffer);
            }
            if (receives_) {
                const auto* buffer =
                    inbox_->bytes().data() + (half * half_bytes(offer.receive, binding.fields));
                unpacking_[half] =
                    make_unpacking(*offer.receive, binding.fields, binding.operation, buffer);
            }
        }
    }

    void start() {
        packed_ = !sends_;
        applied_ = !receives_;
    }

    bool progress(std::uint64_t epoch, Turn& turn) {
        bool advanced = pack(epoch);
        if (!applied_ && turn.may_apply(rank_) &&
            theirs_.packed(my_slot_there_).value.load(std::memory_order_acquire) >= epoch) {
            execute(unpacking_[epoch % halves]);
            my_done_.value.store(epoch, std::memory_order_release);
            doorbell_.ring();
            turn.pass(rank_);
            applied_ = true;
            advanced = true;
        }
        if (!advanced && theirs_.broken().value.load(std::memory_order_relaxed) != 0) {
            throw BrokenExchange("rank " + std::to_string(rank_) +
                                 " has broken this exchange: it was started twice, or waited for "
                                 "without start, there");
        }
        return advanced;
    }

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] bool finished() const { return packed_ && applied_; }

private:
    // The half was last used two epochs ago; its reader must have finished with it.
    bool pack(std::uint64_t epoch) {
        if (packed_ ||
            theirs_.done(my_slot_there_).value.load(std::memory_order_acquire) + halves < epoch) {
            return false;
        }
        execute(packing_[epoch % halves]);
        my_packed_.value.store(epoch, std::memory_order_release);
        doorbell_.ring();
        packed_ = true;
        return true;
    }

    int rank_;
    bool sends_;
    bool receives_;
    ControlBlock::View theirs_;
    std::size_t my_slot_there_;
    Flag& my_packed_;
    Flag& my_done_;
    memory::Doorbell& doorbell_;
    std::unique_ptr<memory::SharedSegment> outbox_;
    std::shared_ptr<memory::MappedSegment> inbox_;
    std::array<std::vector<Move>, halves> packing_;
    std::array<std::vector<Move>, halves> unpacking_;
    bool packed_ = true;
    bool applied_ = true;
};

class SharedStaged final : public Transport {
public:
    SharedStaged(const Binding& binding, std::span<const PeerOffer* const> offers)
        : turn_(binding.turn) {
        for (const auto* offer : offers) {
            peers_.emplace_back(binding, *offer);
            peers_.back().open(binding, *offer);
        }
    }

    void start(std::uint64_t epoch) override {
        epoch_ = epoch;
        for (auto& peer : peers_) {
            peer.start();
        }
    }

    bool progress() override {
        bool advanced = false;
        for (auto& peer : peers_) {
            if (!peer.finished()) {
                advanced |= peer.progress(epoch_, turn_);
            }
        }
        return advanced;
    }

    [[nodiscard]] bool done() const override {
        return std::ranges::all_of(peers_, &Peer::finished);
    }

    [[nodiscard]] int awaited() const override {
        const auto open = std::ranges::find(peers_, false, &Peer::finished);
        return open == peers_.end() ? -1 : open->rank();
    }

    [[nodiscard]] bool polls_mpi() const override { return false; }

private:
    Turn& turn_;
    std::uint64_t epoch_ = 0;
    std::vector<Peer> peers_;
};

std::string obstacle(const Binding& binding, const PeerOffer& peer) {
    if (peer.rank == binding.comm.rank()) {
        return "the rank itself";
    }
    return binding.node.shares_with(peer.rank) ? "" : binding.node.obstacle(peer.rank);
}

std::unique_ptr<Transport> make(const Binding& binding, std::span<const PeerOffer* const> peers) {
    return std::make_unique<SharedStaged>(binding, peers);
}

}  // namespace

Entry shared_staged() {
    return {.name = "shared-staged",
            .summary = "shared memory, two copies through a double buffer, for any memory",
            .obstacle = obstacle,
            .all_or_none = false,
            .make = make};
}

}  // namespace transrank::transport
