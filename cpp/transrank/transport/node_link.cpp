// SPDX-License-Identifier: BSD-3-Clause
// Two nodes measure each other, the first with the second, the third with the fourth and so on. A
// round is an exchange in both directions, which each of the two needs before the next one.
#include "transrank/transport/node_link.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/persistent_requests.hpp"
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
          sent_(static_cast<std::size_t>(bytes)),
          received_(static_cast<std::size_t>(count) * sent_.size()),
          requests_(2 * static_cast<std::size_t>(count), MPI_REQUEST_NULL) {}

    void operator()() {
        const auto count = requests_.size() / 2;
        for (std::size_t i = 0; i < count; ++i) {
            mpi::check(MPI_Irecv(received_.data() + (i * sent_.size()), bytes_, MPI_BYTE, partner_,
                                 link_tag, comm_.handle(), &requests_[i]),
                       "MPI_Irecv");
        }
        for (std::size_t i = 0; i < count; ++i) {
            mpi::check(MPI_Isend(sent_.data(), bytes_, MPI_BYTE, partner_, link_tag, comm_.handle(),
                                 &requests_[count + i]),
                       "MPI_Isend");
        }
        mpi::wait_all(requests_);
    }

private:
    const mpi::Communicator& comm_;
    int partner_;
    int bytes_;
    std::vector<std::byte> sent_;
    std::vector<std::byte> received_;
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

    static Known& instance() {
        static auto* const known = new Known;  // never destroyed: another thread may ask
        return *known;
    }
};

}  // namespace

bool link_is_known() {
    auto& known = Known::instance();
    const std::lock_guard lock(known.mutex);
    return known.piece_bytes.has_value();
}

std::int64_t known_piece_bytes() {
    auto& known = Known::instance();
    const std::lock_guard lock(known.mutex);
    return known.piece_bytes.value_or(0);
}

void measure_link(const mpi::Communicator& comm, const memory::Node& node) {
    const auto own = measure_own(comm, node);
    std::array worst{own.whole, own.in_pieces};
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, worst.data(), static_cast<int>(worst.size()), MPI_DOUBLE,
                             MPI_MAX, comm.handle()),
               "MPI_Allreduce");
    const auto [whole, in_pieces] = worst;
    auto& known = Known::instance();
    const std::lock_guard lock(known.mutex);
    known.piece_bytes = in_pieces < worthwhile * whole ? piece_bytes : 0;
}

}  // namespace transrank::transport
