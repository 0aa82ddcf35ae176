// SPDX-License-Identifier: BSD-3-Clause
// Two nodes measure each other, the first with the second, the third with the fourth and so on. A
// round is an exchange in both directions, which each of the two needs before the next one.
#include "transrank/transport/node/node_link.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::transport {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int short_bytes = 8;
constexpr int long_bytes = 1 << 16;
// Many an MPI sends no more than that without asking the receiver first.
constexpr int piece_bytes = 1 << 13;
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
    Messages(const mpi::Communicator& comm, int partner, int count, int bytes)
        : comm_(comm),
          partner_(partner),
          bytes_(bytes),
          memory_(std::make_shared<Memory>(
              static_cast<std::size_t>(bytes),
              static_cast<std::size_t>(count) * static_cast<std::size_t>(bytes))),
          requests_(2 * static_cast<std::size_t>(count), MPI_REQUEST_NULL) {}

    void operator()() {
        const auto count = requests_.size() / 2;
        auto& [sent, received] = *memory_;
        for (std::size_t i = 0; i < count; ++i) {
            mpi::check(MPI_Irecv(received.data() + (i * sent.size()), bytes_, MPI_BYTE, partner_,
                                 link_tag, comm_.handle(), &requests_[i]),
                       "MPI_Irecv");
        }
        for (std::size_t i = 0; i < count; ++i) {
            mpi::check(MPI_Isend(sent.data(), bytes_, MPI_BYTE, partner_, link_tag, comm_.handle(),
                                 &requests_[count + i]),
                       "MPI_Isend");
        }
        comm_.complete(requests_, memory_);
    }

private:
    /// What is sent, and what is received.
    struct Memory {
        std::vector<std::byte> sent;
        std::vector<std::byte> received;

        Memory(std::size_t one, std::size_t all) : sent(one), received(all) {}
    };

    const mpi::Communicator& comm_;
    int partner_;
    int bytes_;
    std::shared_ptr<Memory> memory_;
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

struct Known {
    std::mutex mutex;
    std::optional<std::int64_t> piece_bytes;
};

}  // namespace

bool link_is_known() {
    auto& known = mpi::lasting<Known>();
    const std::lock_guard lock(known.mutex);
    return known.piece_bytes.has_value();
}

std::int64_t known_piece_bytes() {
    auto& known = mpi::lasting<Known>();
    const std::lock_guard lock(known.mutex);
    return known.piece_bytes.value_or(0);
}

void measure_link(const mpi::Communicator& comm, const memory::Node& node) {
    const auto own = measure_own(comm, node);
    std::array worst{own.whole, own.in_pieces};
    mpi::reduce(comm, std::span(worst), MPI_MAX);
    const auto [whole, in_pieces] = worst;
    auto& known = mpi::lasting<Known>();
    const std::lock_guard lock(known.mutex);
    known.piece_bytes = in_pieces < worthwhile * whole ? piece_bytes : 0;
}

}  // namespace transrank::transport
