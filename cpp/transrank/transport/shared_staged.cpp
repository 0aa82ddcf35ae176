// SPDX-License-Identifier: BSD-3-Clause
// Shared memory, two copies, for arrays that the user allocated: the sender packs into a segment
// that the receiver unpacks from. Each peer has two halves used in turn, so a sender may be one
// exchange ahead of its receiver and its sources are free as soon as they are packed.
#include <algorithm>
#include <array>

#include "transrank/mpi/error.hpp"
#include "transrank/transport/moves.hpp"
#include "transrank/transport/shared_peer.hpp"
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
    memory::BlockHandle block;
    std::uint64_t offset = 0;
};

class Peer : public SharedPeer {
public:
    Peer(const Binding& binding, const PeerOffer& offer)
        : SharedPeer(binding, offer),
          sends_(offer.send != nullptr),
          receives_(offer.receive != nullptr) {}

    void prepare_packing(const Binding& binding, const PeerOffer& offer, std::byte* outbox) {
        for (auto& packing : packing_) {
            packing = make_packing(*offer.send, binding.fields, outbox);
            outbox += half_bytes(offer.send, binding.fields);
        }
    }

    void prepare_unpacking(const Binding& binding, const PeerOffer& offer, const Box& box) {
        inbox_ = std::make_unique<memory::MappedBlock>(box.block);
        const auto* inbox = inbox_->data() + box.offset;
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
        if (!applied_ && turn.may_apply(rank()) && packed() >= epoch) {
            execute(unpacking_[epoch % halves]);
            publish_done(epoch);
            turn.pass(rank());
            applied_ = true;
            advanced = true;
        }
        if (!advanced) {
            check_owing([&] { return owes(epoch); });
        }
        return advanced;
    }

    [[nodiscard]] bool finished() const { return packed_ && applied_; }
    [[nodiscard]] bool owes(std::uint64_t epoch) const {
        return (!applied_ && packed() < epoch) || (!packed_ && !half_is_free(epoch));
    }

private:
    // The half was last used two epochs ago; its reader must have finished with it.
    [[nodiscard]] bool half_is_free(std::uint64_t epoch) const { return done() + halves >= epoch; }

    bool pack(std::uint64_t epoch) {
        if (packed_ || !half_is_free(epoch)) {
            return false;
        }
        // Whoever only sends does not wait for its peers and would not notice otherwise.
        check_owing([] { return true; });
        execute(packing_[epoch % halves]);
        publish_packed(epoch);
        packed_ = true;
        return true;
    }

    bool sends_;
    bool receives_;
    std::unique_ptr<memory::MappedBlock> inbox_;
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
            own_boxes_.push_back({.block = {}, .offset = bytes});
            bytes += halves * half_bytes(offer->send, binding.fields);
        }
        outboxes_ = std::make_unique<memory::SharedBlock>(bytes);
        for (auto& box : own_boxes_) {
            box.block = outboxes_->handle();
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

    [[nodiscard]] std::vector<int> awaited() const override { return ranks_owing(peers_, epoch_); }

    void announce(const Breakage& breakage, std::uint64_t /*completed*/) override {
        publish_breakage(binding_, breakage, peers_);
    }

private:
    const Binding& binding_;
    std::vector<const PeerOffer*> offers_;
    Turn& turn_;
    std::vector<Box> own_boxes_;
    std::vector<Box> boxes_;  // the peers'
    std::unique_ptr<memory::SharedBlock> outboxes_;
    std::uint64_t epoch_ = 0;
    std::vector<Peer> peers_;
};

std::unique_ptr<Transport> make(const Binding& binding, std::span<const PeerOffer* const> peers) {
    return std::make_unique<SharedStaged>(binding, peers);
}

}  // namespace

Entry shared_staged() {
    return {.name = "shared-staged",
            .summary = "shared memory, two copies through a double buffer, for any memory",
            .obstacle = obstacle_to_sharing,
            .all_or_none = false,
            .automatic = true,
            .by_messages = false,
            .make = make};
}

}  // namespace transrank::transport
