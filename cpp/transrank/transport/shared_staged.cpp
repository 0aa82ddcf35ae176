// SPDX-License-Identifier: BSD-3-Clause
// Shared memory, two copies, for arrays that the user allocated: the sender packs into a segment
// that the receiver unpacks from. Each peer has two halves used in turn, so a sender may be one
// exchange ahead of its receiver and its sources are free as soon as they are packed.
#include <algorithm>
#include <array>

#include "transrank/mpi/error.hpp"
#include "transrank/transport/moves.hpp"
#include "transrank/transport/table.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::transport {
namespace {

constexpr std::uint64_t halves = 2;
constexpr std::size_t line_bytes = 64;

std::size_t half_bytes(const route::Leg* leg, std::span<const Field> fields) {
    const auto bytes = leg == nullptr ? 0 : static_cast<std::size_t>(packed_bytes(*leg, fields));
    return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}

/// Where a peer finds what is packed for it.
struct Box {
    memory::SegmentHandle segment;
    std::uint64_t offset = 0;
};

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
          doorbell_(binding.node.doorbell(offer.rank)) {}

    void prepare_packing(const Binding& binding, const PeerOffer& offer, std::byte* outbox) {
        for (auto& packing : packing_) {
            packing = make_packing(*offer.send, binding.fields, outbox);
            outbox += half_bytes(offer.send, binding.fields);
        }
    }

    void prepare_unpacking(const Binding& binding, const PeerOffer& offer, const Box& box) {
        inbox_ = memory::MappedSegment::get(box.segment);
        const auto* inbox = inbox_->bytes().data() + box.offset;
        for (auto& unpacking : unpacking_) {
            unpacking = make_unpacking(*offer.receive, binding.fields, binding.operation, inbox);
            inbox += half_bytes(offer.receive, binding.fields);
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
        if (!advanced) {
            check_unbroken(theirs_.broken().value.load(std::memory_order_relaxed));
        }
        return advanced;
    }

    void ring() { doorbell_.ring(); }
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] bool finished() const { return packed_ && applied_; }

private:
    // The half was last used two epochs ago; its reader must have finished with it.
    bool pack(std::uint64_t epoch) {
        if (packed_ ||
            theirs_.done(my_slot_there_).value.load(std::memory_order_acquire) + halves < epoch) {
            return false;
        }
        // Whoever only sends does not wait for its peers and would not notice otherwise.
        check_unbroken(theirs_.broken().value.load(std::memory_order_relaxed));
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
    std::shared_ptr<memory::MappedSegment> inbox_;
    std::array<std::vector<Move>, halves> packing_;
    std::array<std::vector<Move>, halves> unpacking_;
    bool packed_ = true;
    bool applied_ = true;
};

class SharedStaged final : public Transport {
public:
    SharedStaged(const Binding& binding, std::span<const PeerOffer* const> offers)
        : binding_(binding),
          offers_(offers.begin(), offers.end()),
          turn_(binding.turn),
          boxes_(offers.size()) {
        std::size_t bytes = 0;
        for (const auto* offer : offers) {
            peers_.emplace_back(binding, *offer);
            own_boxes_.push_back({.segment = {}, .offset = bytes});
            bytes += halves * half_bytes(offer->send, binding.fields);
        }
        outboxes_ = std::make_unique<memory::SharedSegment>(bytes);
        for (auto& box : own_boxes_) {
            box.segment = outboxes_->handle();
        }
    }

    void connect() override {
        std::vector<MPI_Request> requests(2 * offers_.size(), MPI_REQUEST_NULL);
        for (std::size_t i = 0; i < offers_.size(); ++i) {
            const int rank = offers_[i]->rank;
            const auto comm = binding_.comm.handle();
            mpi::check(MPI_Irecv(&boxes_[i], sizeof(Box), MPI_BYTE, rank, handle_tag, comm,
                                 &requests[2 * i]),
                       "MPI_Irecv");
            mpi::check(MPI_Isend(&own_boxes_[i], sizeof(Box), MPI_BYTE, rank, handle_tag, comm,
                                 &requests[(2 * i) + 1]),
                       "MPI_Isend");
        }
        mpi::check(
            MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
    }

    void prepare() override {
        for (std::size_t i = 0; i < offers_.size(); ++i) {
            if (offers_[i]->send != nullptr) {
                peers_[i].prepare_packing(binding_, *offers_[i],
                                          outboxes_->bytes().data() + own_boxes_[i].offset);
            }
            if (offers_[i]->receive != nullptr) {
                peers_[i].prepare_unpacking(binding_, *offers_[i], boxes_[i]);
            }
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

    void announce(const Breakage& breakage) override {
        binding_.control.broken().value.store(breakage.encoded(), std::memory_order_release);
        for (auto& peer : peers_) {
            peer.ring();
        }
    }

private:
    const Binding& binding_;
    std::vector<const PeerOffer*> offers_;
    Turn& turn_;
    std::vector<Box> own_boxes_;
    std::vector<Box> boxes_;  // the peers'
    std::unique_ptr<memory::SharedSegment> outboxes_;
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
            .automatic = true,
            .make = make};
}

}  // namespace transrank::transport
