// SPDX-License-Identifier: BSD-3-Clause
// Messages: the sender packs by hand and sends by a persistent request, the receiver unpacks. What
// lies in one piece leaves from its place; it lands in place where it is only assigned, in any
// order. One message per peer for all fields, unless it is longer than MPI can count or than asked
// for.
#include "transrank/transport/persistent_transfer.hpp"
#include "transrank/transport/table.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::transport {
namespace {

class Message final : public PersistentTransfer {
public:
    Message(const Binding& binding, std::span<const PeerOffer* const> peers)
        : PersistentTransfer(binding, peers),
          binding_(binding),
          peers_(peers.begin(), peers.end()) {}

    void prepare() override {
        for (const auto* peer : peers_) {
            if (peer->receive != nullptr) {
                prepare_incoming(peer->rank, *peer->receive);
            }
        }
        for (const auto* peer : peers_) {
            if (peer->send != nullptr) {
                prepare_outgoing(peer->rank, *peer->send);
            }
        }
    }

private:
    void prepare_incoming(int rank, const route::Leg& leg) {
        const auto bytes = packed_bytes(leg, binding_.fields);
        auto memory = in_place(leg, bytes);
        std::vector<Move> unpacking;
        if (memory.empty()) {
            memory = allocate(bytes);
            unpacking = make_unpacking(leg, binding_.fields, binding_.operation, memory.data());
        }
        add_incoming(rank,
                     requests().add_receives(memory, partner(rank), binding_.longest_message_bytes),
                     std::move(unpacking));
    }

    void prepare_outgoing(int rank, const route::Leg& leg) {
        const auto bytes = packed_bytes(leg, binding_.fields);
        auto memory = from_place(leg, bytes);
        std::vector<Move> packing;
        if (memory.empty()) {
            const auto buffer = allocate(bytes);
            packing = make_packing(leg, binding_.fields, buffer.data());
            memory = buffer;
        }
        add_outgoing(rank,
                     requests().add_sends(memory, partner(rank), binding_.longest_message_bytes),
                     std::move(packing));
    }

    // Empty where the data must be unpacked.
    [[nodiscard]] std::span<std::byte> in_place(const route::Leg& leg, std::int64_t bytes) const {
        const auto unit = contiguous_destination(leg);
        const auto& field = binding_.fields.front();
        if (!unit || binding_.fields.size() > 1 || binding_.turn.ordered()) {
            return {};
        }
        return {field.destination + (*unit * field.unit_bytes), static_cast<std::size_t>(bytes)};
    }

    // Empty where the data must be packed.
    [[nodiscard]] std::span<const std::byte> from_place(const route::Leg& leg,
                                                        std::int64_t bytes) const {
        const auto unit = contiguous_source(leg);
        const auto& field = binding_.fields.front();
        if (!unit || binding_.fields.size() > 1) {
            return {};
        }
        return {field.source + (*unit * field.unit_bytes), static_cast<std::size_t>(bytes)};
    }

    [[nodiscard]] mpi::Partner partner(int rank) const {
        return {.comm = binding_.comm, .rank = rank, .tag = data_tag};
    }

    const Binding& binding_;
    std::vector<const PeerOffer*> peers_;
};

std::string obstacle(const Binding& binding, const PeerOffer& peer) {
    return peer.rank == binding.comm.rank() ? "the rank itself" : "";
}

std::unique_ptr<Transport> make(const Binding& binding, std::span<const PeerOffer* const> peers) {
    return std::make_unique<Message>(binding, peers);
}

}  // namespace

Entry message() {
    return {.name = "message",
            .summary = "packed by hand, persistent MPI_Send_init and MPI_Recv_init",
            .obstacle = obstacle,
            .all_or_none = false,
            .automatic = true,
            .by_messages = true,
            .make = make};
}

}  // namespace transrank::transport
