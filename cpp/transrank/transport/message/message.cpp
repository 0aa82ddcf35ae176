// SPDX-License-Identifier: BSD-3-Clause
// Messages: the sender packs by hand and sends by a persistent request, the receiver unpacks. What
// lies in one piece, in an array that stays, leaves from its place; it lands in place where it is
// only assigned, in any order. One message per peer for all fields, unless it is longer than MPI
// can count or than asked for.
#include <algorithm>
#include <optional>
#include <utility>

#include "transrank/copy/moves.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/mpi/persistent_requests.hpp"
#include "transrank/transport/notices.hpp"
#include "transrank/transport/table.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::transport {
namespace {

using Group = mpi::PersistentRequests::Group;

/// What goes to a rank, or comes from it.
struct Stream {
    int rank;
    bool incoming;
    Group messages;
    std::vector<copy::Move> moves;  ///< unpacking or packing; none where the data need neither
    int pending = 0;                ///< messages under way
    bool applied = true;            ///< of an incoming one
};

class Message final : public Transport {
public:
    Message(const Binding& binding, Peers peers)
        : binding_(binding),
          peers_(peers.begin(), peers.end()),
          apply_order_(binding.apply_order),
          notices_(*binding.messages, ranks_of(peers),
                   std::ranges::any_of(
                       peers, [](const PeerOffer* peer) { return peer->receive == nullptr; })) {}
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;

    ~Message() override {
        if (requests_.abandon()) {
            return;
        }
        for (auto& buffer : buffers_) {
            mpi::keep_for_ever(std::move(buffer));
        }
        for (const auto& field : binding_.fields) {
            mpi::keep_for_ever(field.keep_alive);
        }
    }

    // Receives come first, so that they are ready before anything is sent.
    void prepare() override {
        for (const auto* peer : peers_) {
            if (peer->receive != nullptr) {
                add_incoming(peer->rank, *peer->receive);
            }
        }
        for (const auto* peer : peers_) {
            if (peer->send != nullptr) {
                add_outgoing(peer->rank, *peer->send);
            }
        }
    }

    void start(std::uint64_t epoch) override {
        epoch_ = epoch;
        notices_.check_before(epoch);
        for (auto& stream : streams_) {
            if (stream.incoming) {
                stream.applied = false;
                ++to_apply_;
            } else {
                copy::execute(stream.moves);
            }
            requests_.start(stream.messages);
            stream.pending = stream.messages.size();
            pending_ += static_cast<std::size_t>(stream.pending);
        }
    }

    bool progress() override {
        bool advanced = collect();
        advanced |= apply();
        if (!advanced && !done()) {
            notices_.check_now_and_then(epoch_);
        }
        return advanced;
    }

    [[nodiscard]] bool done() const override { return to_apply_ == 0 && pending_ == 0; }

    [[nodiscard]] std::vector<int> awaited() const override {
        std::vector<int> ranks;
        for (const auto& stream : streams_) {
            if (stream.pending > 0) {
                ranks.push_back(stream.rank);
            }
        }
        return ranks;
    }

    [[nodiscard]] Polling polling() const override { return Polling::own; }
    void announce(const Failure& failure, std::uint64_t completed) override {
        notices_.send(failure, completed, requests_.traffic());
    }
    bool leave() override {
        (void)requests_.abandon();
        return notices_.leave(requests_.traffic());
    }

private:
    void add_incoming(int rank, const route::Leg& leg) {
        const auto bytes = copy::packed_bytes(leg, binding_.fields);
        const auto begin =
            binding_.apply_order.ordered() ? std::nullopt : copy::contiguous_destination(leg);
        const auto& field = binding_.fields.front();
        auto memory = in_place(begin, field.destination, field.destination_view.get(), bytes);
        std::vector<copy::Move> unpacking;
        if (memory.empty()) {
            memory = allocate(bytes);
            unpacking =
                copy::make_unpacking(leg, binding_.fields, binding_.operation, memory.data());
        }
        add({.rank = rank,
             .incoming = true,
             .messages =
                 requests_.add_receives(memory, partner(rank), binding_.longest_message_bytes),
             .moves = std::move(unpacking)});
    }

    void add_outgoing(int rank, const route::Leg& leg) {
        const auto bytes = copy::packed_bytes(leg, binding_.fields);
        const auto& field = binding_.fields.front();
        auto memory =
            in_place(copy::contiguous_source(leg), field.source, field.source_view.get(), bytes);
        std::vector<copy::Move> packing;
        if (memory.empty()) {
            const auto buffer = allocate(bytes);
            packing = copy::make_packing(leg, binding_.fields, buffer.data());
            memory = buffer;
        }
        add({.rank = rank,
             .incoming = false,
             .messages = requests_.add_sends(memory, partner(rank), binding_.longest_message_bytes),
             .moves = std::move(packing)});
    }

    void add(Stream stream) {
        stream_of_request_.resize(stream.messages.end, streams_.size());
        streams_.push_back(std::move(stream));
    }

    // Memory for messages, kept as long as MPI may use it.
    std::span<std::byte> allocate(std::int64_t bytes) {
        const auto size = static_cast<std::size_t>(bytes);
        return {buffers_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(size)).get(),
                size};
    }

    // The data from unit `begin` of `memory` on, if they lie there in one piece; else empty.
    template <class Byte>
    [[nodiscard]] std::span<Byte> in_place(std::optional<std::int64_t> begin, Byte* memory,
                                           const copy::View* view, std::int64_t bytes) const {
        if (!begin || binding_.fields.size() > 1 || binding_.sets != 1 || view != nullptr) {
            return {};
        }
        return {memory + (*begin * binding_.fields.front().unit_bytes),
                static_cast<std::size_t>(bytes)};
    }

    [[nodiscard]] mpi::Partner partner(int rank) const {
        return {.comm = binding_.messages->comm(),
                .rank = rank,
                .tag = binding_.messages->tag(data_tag)};
    }

    bool collect() {
        if (pending_ == 0) {
            return false;
        }
        const auto completed = requests_.completed();
        for (const int request : completed) {
            --streams_[stream_of_request_[static_cast<std::size_t>(request)]].pending;
        }
        pending_ -= completed.size();
        return !completed.empty();
    }

    bool apply() {
        bool advanced = false;
        for (auto& stream : streams_) {
            if (!stream.applied && stream.pending == 0 && apply_order_.may_apply(stream.rank)) {
                copy::execute(stream.moves);
                apply_order_.applied(stream.rank);
                stream.applied = true;
                --to_apply_;
                advanced = true;
            }
        }
        return advanced;
    }

    const Binding& binding_;
    std::vector<const PeerOffer*> peers_;
    ApplyOrder& apply_order_;
    Notices notices_;
    std::vector<mpi::Buffer> buffers_;
    mpi::PersistentRequests requests_;
    std::vector<Stream> streams_;
    std::vector<std::size_t> stream_of_request_;
    std::uint64_t epoch_ = 0;
    std::size_t pending_ = 0;   ///< messages under way
    std::size_t to_apply_ = 0;  ///< incoming streams
};

std::string reason_against(const Binding& binding, const PeerOffer& peer) {
    return peer.rank == binding.comm.rank() ? "the rank itself" : "";
}

}  // namespace

Entry message() {
    return {.name = "message",
            .summary = "packed by hand, persistent MPI_Send_init and MPI_Recv_init",
            .reason_against = reason_against,
            .make = make<Message>,
            .needs_messages = true};
}

}  // namespace transrank::transport
