// SPDX-License-Identifier: BSD-3-Clause
// Two nodes measure each other, the first with the second, the third with the fourth and so on. A
// round is an exchange in both directions, which each of the two needs before the next one.
#include "transrank/transport/node/node_link.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/point_to_point.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::transport {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t short_bytes = 8;
constexpr std::size_t long_bytes = std::size_t{1} << 16U;
// Many an MPI sends no more than that without asking the receiver first.
constexpr std::size_t piece_bytes = std::size_t{1} << 13U;
constexpr double worthwhile = 0.9;
constexpr int batches = 3;
constexpr int short_rounds = 6;
constexpr int long_rounds = 2;

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

/// As many messages of one length to a rank, and from it.
class Messages {
public:
    Messages(const mpi::Communicator& comm, int partner, std::size_t count, std::size_t bytes)
        : partner_{.comm = comm, .rank = partner, .tag = link_tag},
          memory_(std::make_shared<std::pair<Bytes, Bytes>>(Bytes(bytes), Bytes(count * bytes))),
          requests_(2 * count, MPI_REQUEST_NULL) {}

    void operator()() {
        const auto count = requests_.size() / 2;
        auto& [sent, received] = *memory_;
        for (std::size_t i = 0; i < count; ++i) {
            requests_[i] = mpi::begin_receive(
                std::span(received).subspan(i * sent.size(), sent.size()), partner_);
        }
        for (std::size_t i = 0; i < count; ++i) {
            requests_[count + i] = mpi::begin_send(sent, partner_);
        }
        partner_.comm.complete(requests_, memory_);
    }

private:
    using Bytes = std::vector<std::byte>;

    mpi::Partner partner_;
    std::shared_ptr<std::pair<Bytes, Bytes>> memory_;  ///< what is sent, and what is received
    std::vector<MPI_Request> requests_;
};

/// What a long message takes more than a short one, in seconds.
struct Times {
    double whole = 0;
    double in_pieces = 0;
};

Times measure_with(const mpi::Communicator& comm, int partner) {
    const double least = measured(short_rounds, Messages(comm, partner, 1, short_bytes));
    const double whole = measured(long_rounds, Messages(comm, partner, 1, long_bytes));
    const double in_pieces =
        measured(long_rounds, Messages(comm, partner, long_bytes / piece_bytes, piece_bytes));
    return {.whole = std::max(whole - least, 0.0), .in_pieces = std::max(in_pieces - least, 0.0)};
}

Times measure_own(const mpi::Communicator& comm, const memory::Node& node) {
    const bool is_first = comm.rank() == node.ranks().front();
    const auto firsts = comm.split(is_first ? 0 : MPI_UNDEFINED);
    const int partner = is_first ? firsts.rank() ^ 1 : 0;
    return is_first && partner < firsts.size() ? measure_with(firsts, partner) : Times{};
}

constexpr std::int64_t unknown = -1;
std::atomic<std::int64_t> measured_piece_bytes{unknown};

}  // namespace

bool link_is_known() {
    return measured_piece_bytes != unknown;
}

std::int64_t known_piece_bytes() {
    return std::max<std::int64_t>(measured_piece_bytes, 0);
}

void measure_link(const mpi::Communicator& comm, const memory::Node& node) {
    const auto own = measure_own(comm, node);
    std::array worst{own.whole, own.in_pieces};
    mpi::reduce(comm, std::span(worst), MPI_MAX);
    const auto [whole, in_pieces] = worst;
    measured_piece_bytes = in_pieces < worthwhile * whole ? std::int64_t{piece_bytes} : 0;
}

}  // namespace transrank::transport
