// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/messages.hpp"

#include <mpi.h>

#include <algorithm>
#include <map>

#include "transrank/mpi/collectives.hpp"

namespace transrank::discovery {
namespace {

using mpi::Message;

std::size_t pieces_of(const Message& message, std::size_t piece_bytes) {
    const auto bytes = std::max<std::size_t>(message.bytes.size(), 1);
    return ((bytes - 1) / piece_bytes) + 1;
}

// The most pieces that a message of any rank has. Everybody has ended the delivery before when this
// returns, so that its messages and ours are not mixed up.
std::size_t most_pieces(const mpi::Communicator& comm, const std::vector<Message>& messages,
                        std::size_t piece_bytes) {
    std::uint64_t own = 1;
    for (const auto& message : messages) {
        own = std::max<std::uint64_t>(own, pieces_of(message, piece_bytes));
    }
    return static_cast<std::size_t>(mpi::reduced(comm, own, MPI_MAX));
}

std::vector<Message> cut(const std::vector<Message>& messages, std::size_t number,
                         std::size_t piece_bytes) {
    std::vector<Message> pieces;
    for (const auto& [peer, bytes] : messages) {
        const std::size_t begin = number * piece_bytes;
        if (begin < bytes.size() || number == 0) {
            const auto piece =
                std::span(bytes).subspan(begin).first(std::min(piece_bytes, bytes.size() - begin));
            pieces.push_back({.peer = peer, .bytes = {piece.begin(), piece.end()}});
        }
    }
    return pieces;
}

std::vector<Message> deliver_in_pieces(const mpi::Communicator& comm,
                                       const std::vector<Message>& messages, int tag,
                                       std::size_t pieces, std::size_t piece_bytes) {
    std::map<int, std::vector<std::byte>> whole;
    for (std::size_t number = 0; number < pieces; ++number) {
        // Two tags in turn: when a delivery has ended here, nobody is in the one before it.
        const int turn = static_cast<int>(number % 2);
        for (const auto& piece :
             mpi::deliver(comm, cut(messages, number, piece_bytes), tag + turn)) {
            auto& bytes = whole[piece.peer];
            bytes.insert(bytes.end(), piece.bytes.begin(), piece.bytes.end());
        }
    }
    std::vector<Message> received;
    received.reserve(whole.size());
    for (auto& [peer, bytes] : whole) {
        received.push_back({.peer = peer, .bytes = std::move(bytes)});
    }
    return received;
}

}  // namespace

std::vector<route::Leg> take_legs(std::span<const Message> messages) {
    std::vector<route::Leg> legs;
    legs.reserve(messages.size());
    for (const auto& message : messages) {
        Reader reader(message);
        legs.push_back({.peer = message.peer, .segments = take_segments(reader)});
    }
    return legs;
}

void Announcement::add(const mpi::Communicator& comm, std::span<const Message> messages) {
    for (const auto& message : messages) {
        sums_.front() += pieces_of(message, most_piece_bytes) > 1 ? 1 : 0;
        if (comm.size() <= most_counted) {
            ++sums_[1 + static_cast<std::size_t>(message.peer)];
        }
    }
}

std::optional<std::size_t> Announcement::to(int rank, int ranks) const {
    return ranks <= most_counted ? std::optional(sums_[1 + static_cast<std::size_t>(rank)])
                                 : std::nullopt;
}

std::vector<Message> deliver(const mpi::Communicator& comm, std::vector<Message> messages,
                             Subject subject, const Announcement& announced) {
    return announced.in_pieces()
               ? deliver(comm, std::move(messages), subject)
               : mpi::deliver(comm, std::move(messages), static_cast<int>(subject),
                              announced.to(comm.rank(), comm.size()));
}

std::vector<Message> deliver(const mpi::Communicator& comm, std::vector<Message> messages,
                             Subject subject, std::size_t piece_bytes) {
    const auto to_others = std::ranges::partition(
        messages, [&](const Message& message) { return message.peer == comm.rank(); });
    std::vector<Message> to_itself(std::make_move_iterator(messages.begin()),
                                   std::make_move_iterator(to_others.begin()));
    messages.erase(messages.begin(), to_others.begin());
    const int tag = static_cast<int>(subject);
    const auto pieces = most_pieces(comm, messages, piece_bytes);
    auto received = pieces == 1 ? mpi::deliver(comm, std::move(messages), tag)
                                : deliver_in_pieces(comm, messages, tag, pieces, piece_bytes);
    const auto place = std::ranges::lower_bound(received, comm.rank(), {}, &Message::peer);
    received.insert(place, std::make_move_iterator(to_itself.begin()),
                    std::make_move_iterator(to_itself.end()));
    return received;
}

}  // namespace transrank::discovery
