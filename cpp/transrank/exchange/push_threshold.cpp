// SPDX-License-Identifier: BSD-3-Clause
// The question is which way costs less in all: the owner rewrites its runs, they move, the reader
// reads them. A pull alone looks dear, but what a push saves there it may cost in the owner's
// writes.
#include "transrank/exchange/push_threshold.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "transrank/memory/shared_pool.hpp"
#include "transrank/mpi/delivery.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/transport/control_block.hpp"
#include "transrank/transport/runs.hpp"

namespace transrank::exchange {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int proposal_tag = 1;
constexpr std::array<std::int64_t, 6> lengths{8, 16, 32, 64, 128, 256};
constexpr std::int64_t runs = 512;
constexpr std::int64_t stride = 512;  // each run on lines of its own, as in a face of a block
constexpr int repetitions = 15;
constexpr double worthwhile = 1.05;  // pushing must save so much
constexpr std::chrono::milliseconds most_time{
    20};  // of one pair; a rank without a core would take longer

/// What the two ranks of a pair share. The owner is the lower one.
struct Ground {
    transport::Flag written;  ///< by the owner: the number of a round
    transport::Flag read;     ///< by the reader
    std::array<std::byte, runs * stride> source;
    std::array<std::byte, runs * lengths.back()> destination;
};

/// The medians of a pair, in seconds, by length.
struct Costs {
    std::array<double, lengths.size()> push{};
    std::array<double, lengths.size()> pull{};
};

/// One side of the measurement. Gives up when the time is over; then so does the other one.
class Side {
public:
    Side(Ground& ground, bool owner)
        : ground_(ground), owner_(owner), end_(Clock::now() + most_time) {}

    std::optional<Costs> measure() {
        Costs costs;
        for (std::size_t i = 0; i < lengths.size() && !late_; ++i) {
            costs.push[i] = median_of_rounds(lengths[i], true);
            costs.pull[i] = median_of_rounds(lengths[i], false);
        }
        return late_ ? std::nullopt : std::optional(costs);
    }

private:
    double median_of_rounds(std::int64_t length, bool push) {
        std::array<double, repetitions> seconds{};
        for (auto& each : seconds) {
            each = owner_ ? write_round(length, push) : read_round(length, push);
        }
        const auto middle = seconds.begin() + (repetitions / 2);
        std::ranges::nth_element(seconds, middle);
        return *middle;
    }

    double write_round(std::int64_t length, bool push) {
        const auto begin = Clock::now();
        ++round_;
        for (std::int64_t i = 0; i < runs; ++i) {
            std::memset(ground_.source.data() + (i * stride), static_cast<int>(round_ % 128),
                        static_cast<std::size_t>(length));
        }
        if (push) {
            move(length);
        }
        ground_.written.publish(round_);
        await(ground_.read);
        return Seconds(Clock::now() - begin).count();
    }

    double read_round(std::int64_t length, bool push) {
        ++round_;
        await(ground_.written);
        if (!push) {
            move(length);
        }
        std::uint64_t sum = 0;
        for (std::int64_t i = 0; i < runs * length; i += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, ground_.destination.data() + i, sizeof(word));
            sum += word;
        }
        asm volatile("" : : "r"(sum));  // the reading is not optimised away
        ground_.read.publish(round_);
        return 0;
    }

    void move(std::int64_t length) {
        transport::copy_runs({.source = 0,
                              .destination = 0,
                              .length = length,
                              .count = runs,
                              .source_stride = stride,
                              .destination_stride = length},
                             ground_.source.data(), ground_.destination.data());
    }

    void await(const transport::Flag& flag) {
        while (flag.seen() < round_ && !late_) {
            late_ = Clock::now() > end_;
        }
    }

    Ground& ground_;
    bool owner_;
    Clock::time_point end_;
    std::uint64_t round_ = 0;
    bool late_ = false;
};

/// The node-mate to measure with: the ranks of a node in pairs, the last of an odd number alone.
std::optional<int> partner_of(int rank, const memory::Node& node) {
    const auto mates = node.mates();
    const auto own = static_cast<std::size_t>(std::ranges::find(mates, rank) - mates.begin());
    const auto other = own ^ 1U;
    return other < mates.size() ? std::optional(mates[other]) : std::nullopt;
}

/// What a rank writes to the one it would measure with.
struct Proposal {
    memory::BlockHandle ground;  ///< of the writer; that of the lower rank is used
};

/// Ground of this rank's own, or nothing where there is no memory for it.
std::unique_ptr<memory::SharedBlock> make_ground() {
    try {
        auto block = std::make_unique<memory::SharedBlock>(sizeof(Ground));
        new (block->bytes().data()) Ground;
        return block;
    } catch (const std::system_error&) {
        return nullptr;
    }
}

Ground& ground_at(std::byte* memory) {
    return *std::launder(reinterpret_cast<Ground*>(memory));
}

std::optional<Costs> measure_as_reader(const memory::BlockHandle& handle) {
    try {
        const memory::MappedBlock mapped(handle);
        return Side(ground_at(mapped.data()), false).measure();
    } catch (const std::exception&) {
        return std::nullopt;  // the owner waits in vain, and not for long
    }
}

/// Collective. What the owner of a pair has measured; nothing on its reader, nor where there is no
/// pair. `ground` must outlive the pair's measuring.
std::optional<Costs> measure_pair(const mpi::Communicator& comm, std::optional<int> partner,
                                  const memory::SharedBlock* ground) {
    std::vector<mpi::Letter> letters;
    if (partner) {
        const Proposal own{.ground = ground == nullptr ? memory::BlockHandle{} : ground->handle()};
        const auto bytes = std::as_bytes(std::span(&own, 1));
        letters.push_back({.peer = *partner, .bytes = {bytes.begin(), bytes.end()}});
    }
    // A partner that has found another one, or none, does not write.
    for (const auto& letter : mpi::deliver(comm, letters, proposal_tag)) {
        Proposal theirs{};
        std::memcpy(&theirs, letter.bytes.data(), sizeof(theirs));
        if (!partner || letter.peer != *partner) {
            continue;
        }
        if (comm.rank() < *partner) {
            return ground == nullptr ? std::nullopt
                                     : Side(ground_at(ground->bytes().data()), true).measure();
        }
        if (theirs.ground.is_shared()) {
            (void)measure_as_reader(theirs.ground);
        }
    }
    return std::nullopt;
}

/// Sums over all pairs, on rank 0.
struct Sums {
    Costs costs{};
    double pairs = 0;
};
static_assert(sizeof(Sums) == ((2 * lengths.size()) + 1) * sizeof(double));

// The ways are compared by ratios, so that a short length counts as much as a long one. Where both
// are about even runs are pulled: that leaves the owner's lines clean when it does not rewrite
// them.
std::int64_t cheapest_threshold(const Costs& costs) {
    std::int64_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t pushed = 0; pushed <= lengths.size(); ++pushed) {
        double cost = 0;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            cost += std::log(i < pushed ? costs.push[i] * worthwhile : costs.pull[i]);
        }
        if (cost < least) {
            least = cost;
            best = pushed < lengths.size() ? lengths[pushed] : 2 * lengths.back();
        }
    }
    return best;
}

}  // namespace

PushThreshold measure_push_threshold(const mpi::Communicator& comm, const memory::Node& node) {
    const auto partner = node.oversubscribed() ? std::nullopt : partner_of(comm.rank(), node);
    const auto ground = partner ? make_ground() : nullptr;
    const auto costs = measure_pair(comm, partner, ground.get());
    const Sums own{.costs = costs.value_or(Costs{}), .pairs = costs ? 1.0 : 0.0};
    Sums all;
    mpi::check(MPI_Reduce(&own, &all, sizeof(Sums) / sizeof(double), MPI_DOUBLE, MPI_SUM, 0,
                          comm.handle()),
               "MPI_Reduce");
    std::int64_t bytes = all.pairs > 0 ? cheapest_threshold(all.costs) : -1;
    // Decided by one rank: a reduction need not give the same bits everywhere.
    mpi::check(MPI_Bcast(&bytes, 1, MPI_INT64_T, 0, comm.handle()), "MPI_Bcast");
    if (bytes >= 0) {
        return {.bytes = bytes, .origin = "measured"};
    }
    return {.bytes = default_push_below_bytes,
            .origin = "default: no two ranks with a core each could measure"};
}

}  // namespace transrank::exchange
