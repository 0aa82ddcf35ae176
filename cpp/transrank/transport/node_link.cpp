// SPDX-License-Identifier: BSD-3-Clause
// Two nodes measure each other, the first with the second, the third with the fourth and so on. A
// round is an exchange in both directions; each rank needs the messages of all ranks of the other
// node before the next one, so that many rounds in a row take as long as the slowest.
#include "transrank/transport/node_link.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "transrank/mpi/error.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::transport {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_ranks = 8;  // of a node
constexpr int short_bytes = 8;
constexpr int long_bytes = 1 << 16;
// Many an MPI sends no more than that without asking the receiver first.
constexpr int piece_bytes = 1 << 13;
constexpr double worthwhile = 0.9;
constexpr int batches = 3;
constexpr int short_rounds = 6;
constexpr int long_rounds = 2;

/// Ranks, as many as take part, ascending.
struct Team {
    std::array<int, most_ranks> ranks{};
    int size = 0;

    [[nodiscard]] std::span<const int> members(int count) const {
        return std::span(ranks).first(static_cast<std::size_t>(count));
    }
};

Team team_of(const memory::Node& node) {
    Team team;
    team.size = static_cast<int>(std::min(node.ranks().size(), most_ranks));
    std::copy_n(node.ranks().begin(), team.size, team.ranks.begin());
    return team;
}

// The team of the node that this one measures with; empty on the last of an odd number.
Team find_partner(const mpi::Communicator& comm, const memory::Node& node, const Team& own) {
    Team theirs;
    const bool is_first = comm.rank() == node.ranks().front();
    const auto firsts = comm.split(is_first ? 0 : MPI_UNDEFINED);
    if (is_first) {
        const int partner = firsts.rank() ^ 1;
        if (partner < firsts.size()) {
            mpi::check(MPI_Sendrecv(&own, sizeof(own), MPI_BYTE, partner, link_tag, &theirs,
                                    sizeof(theirs), MPI_BYTE, partner, link_tag, firsts.handle(),
                                    MPI_STATUS_IGNORE),
                       "MPI_Sendrecv");
        }
        for (const int rank : own.members(own.size).subspan(1)) {
            mpi::check(MPI_Send(&theirs, sizeof(theirs), MPI_BYTE, rank, link_tag, comm.handle()),
                       "MPI_Send");
        }
    } else if (std::ranges::count(own.members(own.size), comm.rank()) != 0) {
        mpi::check(MPI_Recv(&theirs, sizeof(theirs), MPI_BYTE, own.ranks[0], link_tag,
                            comm.handle(), MPI_STATUS_IGNORE),
                   "MPI_Recv");
    }
    return theirs;
}

// Seconds of a round: the least of several batches, after one round that is not counted.
template <class Round>
double measured(int count, Round round) {
    auto least = std::numeric_limits<double>::infinity();
    round();
    for (int batch = 0; batch < batches; ++batch) {
        const auto begin = Clock::now();
        for (int i = 0; i < count; ++i) {
            round();
        }
        const std::chrono::duration<double> taken = Clock::now() - begin;
        least = std::min(least, taken.count() / count);
    }
    return least;
}

/// Messages of one length to ranks and from ranks, any of which may be there several times.
class Messages {
public:
    Messages(const mpi::Communicator& comm, std::span<const int> to, std::span<const int> from,
             int bytes)
        : comm_(comm),
          to_(to.begin(), to.end()),
          from_(from.begin(), from.end()),
          bytes_(bytes),
          sent_(static_cast<std::size_t>(bytes)),
          received_(from.size() * sent_.size()) {}

    void operator()() {
        requests_.clear();
        for (std::size_t i = 0; i < from_.size(); ++i) {
            mpi::check(
                MPI_Irecv(received_.data() + (i * sent_.size()), bytes_, MPI_BYTE, from_[i],
                          link_tag, comm_.handle(), &requests_.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Irecv");
        }
        for (const int rank : to_) {
            mpi::check(MPI_Isend(sent_.data(), bytes_, MPI_BYTE, rank, link_tag, comm_.handle(),
                                 &requests_.emplace_back(MPI_REQUEST_NULL)),
                       "MPI_Isend");
        }
        mpi::check(
            MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
    }

private:
    const mpi::Communicator& comm_;
    std::vector<int> to_;
    std::vector<int> from_;
    int bytes_;
    std::vector<std::byte> sent_;
    std::vector<std::byte> received_;
    std::vector<MPI_Request> requests_;
};

// The parts of all mates go to the first, over the link, and to all mates.
double measure_gathered(const mpi::Communicator& comm, std::span<const int> mates, int far) {
    const auto others = mates.subspan(1);
    const bool is_first = comm.rank() == mates[0];
    const std::span<const int> none;
    const std::span<const int> first = mates.first(1);
    Messages gather(comm, is_first ? none : first, is_first ? others : none, short_bytes);
    Messages cross(comm, std::span(&far, 1), std::span(&far, 1), short_bytes);
    Messages scatter(comm, is_first ? others : none, is_first ? none : first, short_bytes);
    return measured(short_rounds, [&] {
        gather();
        if (is_first) {
            cross();
        }
        scatter();
    });
}

double seconds_of_copy() {
    const std::vector<std::byte> source(long_bytes);
    std::vector<std::byte> destination(long_bytes);
    auto least = std::numeric_limits<double>::infinity();
    for (int batch = 0; batch <= batches; ++batch) {
        const auto begin = Clock::now();
        std::memcpy(destination.data(), source.data(), source.size());
        const std::chrono::duration<double> taken = Clock::now() - begin;
        least = std::min(least, taken.count());
    }
    return least;
}

/// What one pair of nodes has measured.
struct Times {
    double per_message = 0;
    double handing_over = 0;
    double per_byte_by_pairs = 0;
    double per_byte_whole = 0;
    double per_byte_in_pieces = 0;
    double per_byte_in_memory = 0;
};

/// The part of one rank in the measuring of its node; the first rank knows what came of it.
Times measure_as(const mpi::Communicator& comm, const Team& own, const Team& theirs) {
    const int ranks = std::min(own.size, theirs.size);
    const auto mates = own.members(ranks);
    if (std::ranges::count(mates, comm.rank()) == 0) {
        return {};
    }
    const auto all = theirs.members(ranks);
    const auto one = all.first(1);
    const std::vector<int> pieces(long_bytes / piece_bytes, one[0]);
    const int pairs = ranks * ranks;
    const double short_by_pairs = measured(short_rounds, Messages(comm, all, all, short_bytes));
    const double gathered = measure_gathered(comm, mates, one[0]);
    const double long_by_pairs =
        measured(long_rounds, Messages(comm, all, all, long_bytes / pairs));
    if (comm.rank() != mates[0]) {
        return {};
    }
    const double short_by_one = measured(short_rounds, Messages(comm, one, one, short_bytes));
    const double whole = measured(long_rounds, Messages(comm, one, one, long_bytes));
    const double in_pieces = measured(long_rounds, Messages(comm, pieces, pieces, piece_bytes));
    const auto per_byte = [](double longer, double shorter) {
        return std::max(longer - shorter, 0.0) / long_bytes;
    };
    return {
        .per_message = pairs == 1 ? 0 : std::max(short_by_pairs - short_by_one, 0.0) / (pairs - 1),
        .handing_over = std::max(gathered - short_by_one, 0.0),
        .per_byte_by_pairs = per_byte(long_by_pairs, short_by_pairs),
        .per_byte_whole = per_byte(whole, short_by_one),
        .per_byte_in_pieces = per_byte(in_pieces, short_by_one),
        .per_byte_in_memory = seconds_of_copy() / long_bytes};
}

// The same on every rank.
NodeLink worst_of(const mpi::Communicator& comm, const Times& own) {
    std::array values{own.per_message,    own.handing_over,       own.per_byte_by_pairs,
                      own.per_byte_whole, own.per_byte_in_pieces, own.per_byte_in_memory};
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                             MPI_DOUBLE, MPI_MAX, comm.handle()),
               "MPI_Allreduce");
    const auto [per_message, handing_over, by_pairs, whole, in_pieces, in_memory] = values;
    const bool better_in_pieces = in_pieces < worthwhile * whole;
    return {.per_message = per_message,
            .handing_over = handing_over,
            .per_byte_by_pairs = by_pairs,
            .per_byte_by_one = better_in_pieces ? in_pieces : whole,
            .per_byte_in_memory = in_memory,
            .piece_bytes = better_in_pieces ? piece_bytes : 0};
}

struct Known {
    std::mutex mutex;
    std::optional<NodeLink> link;

    static Known& instance() {
        static auto* const known = new Known;  // never destroyed: another thread may ask
        return *known;
    }
};

}  // namespace

double NodeLink::gain(std::int64_t messages, double bytes, double distinct_bytes) const {
    if (messages == 0) {
        return 0;
    }
    return (static_cast<double>(messages - 1) * per_message) + (bytes * per_byte_by_pairs) -
           (distinct_bytes * (per_byte_by_one + (2 * per_byte_in_memory))) - handing_over;
}

bool link_is_known() {
    auto& known = Known::instance();
    const std::lock_guard lock(known.mutex);
    return known.link.has_value();
}

NodeLink known_link() {
    auto& known = Known::instance();
    const std::lock_guard lock(known.mutex);
    return known.link.value_or(NodeLink{});
}

void measure_link(const mpi::Communicator& comm, const memory::Node& node) {
    const auto own = team_of(node);
    const auto theirs = find_partner(comm, node, own);
    const auto link = worst_of(comm, theirs.size == 0 ? Times{} : measure_as(comm, own, theirs));
    auto& known = Known::instance();
    const std::lock_guard lock(known.mutex);
    known.link = link;
}

}  // namespace transrank::transport
