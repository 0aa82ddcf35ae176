// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/letters.hpp"

#include <mpi.h>

#include <algorithm>
#include <map>
#include <utility>

#include "transrank/mpi/error.hpp"

namespace transrank::discovery {
namespace {

using mpi::Letter;

std::size_t pieces_of(const Letter& letter, std::size_t piece_bytes) {
    const auto bytes = std::max<std::size_t>(letter.bytes.size(), 1);
    return ((bytes - 1) / piece_bytes) + 1;
}

// The most pieces that a letter of any rank has. Everybody has ended the delivery before when this
// returns, so that its letters and ours are not mixed up.
std::size_t most_pieces(const mpi::Communicator& comm, const std::vector<Letter>& letters,
                        std::size_t piece_bytes) {
    std::uint64_t own = 1;
    for (const auto& letter : letters) {
        own = std::max<std::uint64_t>(own, pieces_of(letter, piece_bytes));
    }
    std::uint64_t most = 0;
    mpi::check(MPI_Allreduce(&own, &most, 1, MPI_UINT64_T, MPI_MAX, comm.handle()),
               "MPI_Allreduce");
    return static_cast<std::size_t>(most);
}

std::vector<Letter> cut(const std::vector<Letter>& letters, std::size_t number,
                        std::size_t piece_bytes) {
    std::vector<Letter> pieces;
    for (const auto& [peer, bytes] : letters) {
        const std::size_t begin = number * piece_bytes;
        if (begin < bytes.size() || number == 0) {
            const auto piece =
                std::span(bytes).subspan(begin).first(std::min(piece_bytes, bytes.size() - begin));
            pieces.push_back({.peer = peer, .bytes = {piece.begin(), piece.end()}});
        }
    }
    return pieces;
}

std::vector<Letter> deliver_in_pieces(const mpi::Communicator& comm,
                                      const std::vector<Letter>& letters, int tag,
                                      std::size_t pieces, std::size_t piece_bytes) {
    std::map<int, std::vector<std::byte>> whole;
    for (std::size_t number = 0; number < pieces; ++number) {
        // Two tags in turn: when a delivery has ended here, nobody is in the one before it.
        const int turn = static_cast<int>(number % 2);
        for (const auto& piece :
             mpi::deliver(comm, cut(letters, number, piece_bytes), tag + turn)) {
            auto& bytes = whole[piece.peer];
            bytes.insert(bytes.end(), piece.bytes.begin(), piece.bytes.end());
        }
    }
    std::vector<Letter> received;
    received.reserve(whole.size());
    for (auto& [peer, bytes] : whole) {
        received.push_back({.peer = peer, .bytes = std::move(bytes)});
    }
    return received;
}

}  // namespace

std::vector<Letter> deliver(const mpi::Communicator& comm, std::vector<Letter> letters,
                            Subject subject, std::size_t piece_bytes) {
    const auto to_others = std::ranges::partition(
        letters, [&](const Letter& letter) { return letter.peer == comm.rank(); });
    std::vector<Letter> to_itself(std::make_move_iterator(letters.begin()),
                                  std::make_move_iterator(to_others.begin()));
    letters.erase(letters.begin(), to_others.begin());
    const int tag = static_cast<int>(subject);
    const auto pieces = most_pieces(comm, letters, piece_bytes);
    auto received = pieces == 1 ? mpi::deliver(comm, std::move(letters), tag)
                                : deliver_in_pieces(comm, letters, tag, pieces, piece_bytes);
    const auto place = std::ranges::lower_bound(received, comm.rank(), {}, &Letter::peer);
    received.insert(place, std::make_move_iterator(to_itself.begin()),
                    std::make_move_iterator(to_itself.end()));
    return received;
}

}  // namespace transrank::discovery
