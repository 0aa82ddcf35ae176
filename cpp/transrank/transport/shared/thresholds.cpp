// SPDX-License-Identifier: BSD-3-Clause
// The question is which method costs less in all. So two ranks do what they do in a halo update:
// both rewrite their runs, move them to each other, and read what has arrived. A pull looks
// expensive in isolation, but a push may shift that cost to the owner's next write.
#include "transrank/transport/shared/thresholds.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <system_error>

#include "transrank/copy/runs.hpp"
#include "transrank/memory/shared_pool.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/mpi/point_to_point.hpp"
#include "transrank/transport/control_block.hpp"
#include "transrank/transport/shared/pair_trial.hpp"
#include "transrank/transport/tags.hpp"
#include "transrank/transport/timings.hpp"

namespace transrank::transport {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::array<std::int64_t, 5> lengths{8, 32, 64, 128, 256};
constexpr std::int64_t runs = 512;
// Each run on lines of its own, as in a face of a block, and not all in the same sets of a cache.
constexpr std::int64_t stride = 320;
constexpr int rounds = 3;  // that count, for each method and length in one measurement
// A node that is too busy is measured again in later binds, until there have been so many.
constexpr std::int64_t most_attempts = 4;

/// How runs get from rank to rank. Where they arrive they lie one after the other or, the last
/// three methods, apart as where they came from.
enum class Method : std::uint8_t { push, pull, push_apart, pull_apart, stage_apart };
constexpr std::array methods{Method::push, Method::pull, Method::push_apart, Method::pull_apart,
                             Method::stage_apart};
constexpr bool is_apart(Method method) {
    return method >= Method::push_apart;
}

/// One rank's memory, which the other one of its pair reaches into.
struct Area {
    Flag met;
    std::array<std::byte, runs * stride> source;
    std::array<std::byte, runs * stride> destination;
    std::array<std::byte, runs * lengths.back()> box;  ///< what is packed
};
using Areas = std::array<Area, 2>;  ///< of the lower rank, and of the other

/// Seconds by length: of a pair the least.
using ByLength = std::array<double, lengths.size()>;
struct Costs {
    std::array<ByLength, methods.size()> by_method{};

    [[nodiscard]] const ByLength& of(Method method) const {
        return by_method[static_cast<std::size_t>(method)];
    }
};
using BothCosts = std::array<Costs, 2>;

/// One rank's part of the measurement. Gives up when the time is over; then so does the other one.
class Side {
public:
    Side(Areas& areas, std::size_t rank)
        : own_(areas.at(rank)), other_(areas.at(1 - rank)), meeting_(own_.met, other_.met) {}

    std::optional<BothCosts> measure() {
        BothCosts costs;
        for (auto& each : costs) {
            each = least_of_rounds();
        }
        return meeting_.is_late() ? std::nullopt : std::optional(costs);
    }

private:
    Costs least_of_rounds() {
        Costs least;
        for (std::size_t i = 0; i < lengths.size() && !meeting_.is_late(); ++i) {
            for (std::size_t method = 0; method < methods.size(); ++method) {
                least.by_method[method][i] =
                    least_of(rounds, [&] { return seconds_of_round(lengths[i], methods[method]); });
            }
        }
        return least;
    }

    double seconds_of_round(std::int64_t length, Method method) {
        const auto begin = Clock::now();
        ++round_;
        for (std::int64_t i = 0; i < runs; ++i) {
            std::memset(own_.source.data() + (i * stride), static_cast<int>(round_ % 128),
                        static_cast<std::size_t>(length));
        }
        const auto distance = is_apart(method) ? stride : length;
        if (method == Method::stage_apart) {
            copy(own_.source, stride, own_.box, length, length);
        }
        meeting_.meet();
        if (method == Method::stage_apart) {
            copy(other_.box, length, own_.destination, stride, length);
        } else if (method == Method::push || method == Method::push_apart) {
            copy(own_.source, stride, other_.destination, distance, length);
        } else {
            copy(other_.source, stride, own_.destination, distance, length);
        }
        meeting_.meet();
        read(distance, length);
        return Seconds(Clock::now() - begin).count();
    }

    void read(std::int64_t distance, std::int64_t length) const {
        std::uint64_t sum = 0;
        for (std::int64_t run = 0; run < runs; ++run) {
            for (std::int64_t i = 0; i < length; i += 8) {
                std::uint64_t word = 0;
                std::memcpy(&word, own_.destination.data() + (run * distance) + i, sizeof(word));
                sum += word;
            }
        }
        asm volatile("" : : "r"(sum));  // the reading is not optimised away
    }

    static void copy(std::span<const std::byte> from, std::int64_t from_stride,
                     std::span<std::byte> to, std::int64_t to_stride, std::int64_t length) {
        copy::copy_runs({.source = 0,
                         .destination = 0,
                         .length = length,
                         .count = runs,
                         .source_stride = from_stride,
                         .destination_stride = to_stride},
                        from.data(), to.data());
    }

    Area& own_;
    Area& other_;
    Meeting meeting_;
    std::uint64_t round_ = 0;
};

/// The ranks of a node, with one of which this one measures: they form pairs, the last of an odd
/// number is alone.
struct Pairing {
    const mpi::Communicator& comm;
    const memory::Node& node;

    [[nodiscard]] std::optional<int> partner() const {
        const auto& ranks = node.ranks();
        const auto own =
            static_cast<std::size_t>(std::ranges::find(ranks, comm.rank()) - ranks.begin());
        const auto other = own ^ 1U;
        return other < ranks.size() ? std::optional(ranks[other]) : std::nullopt;
    }
};

/// What the lower rank of this one's pair has measured; nothing where there is no pair.
std::optional<BothCosts> measure_pair(const Pairing& pairing) {
    const auto partner = pairing.partner();
    if (!partner || pairing.node.oversubscribed() || !pairing.node.shares_with(*partner)) {
        return std::nullopt;
    }
    return measured_with<Areas, BothCosts>(
        pairing.comm, *partner,
        [](Areas& areas, std::size_t which) { return Side(areas, which).measure(); });
}

/// What has been measured by one pair, or by several together.
struct Measured {
    BothCosts costs{};
    double pairs = 0;

    void add(const Measured& other) {
        for (std::size_t k = 0; k < costs.size(); ++k) {
            for (std::size_t method = 0; method < methods.size(); ++method) {
                for (std::size_t i = 0; i < lengths.size(); ++i) {
                    costs[k].by_method[method][i] += other.costs[k].by_method[method][i];
                }
            }
        }
        pairs += other.pairs;
    }
};

/// What is known of a node, as its ranks tell each other.
struct Finding {
    std::int64_t attempts = 0;
    std::int64_t is_measured = 0;
    std::int64_t push_below_bytes = default_push_below_bytes;
    std::int64_t stage_below_bytes = default_stage_below_bytes;
};

// The length from which on `long_method` is taken: where another one costs less than `by_default`,
// the best. The methods are compared by ratios, so that a short length counts as much as a long
// one.
std::int64_t cheapest_threshold(const std::array<ByLength, 2>& short_method,
                                const std::array<ByLength, 2>& long_method,
                                std::int64_t by_default) {
    constexpr double tie = 1e-9;  // of thresholds that save as much the nearest
    const auto from =
        static_cast<std::size_t>(std::ranges::find(lengths, by_default) - lengths.begin());
    auto best = from;
    double most = 0;
    for (std::size_t each = 0; each <= lengths.size(); ++each) {
        double saved = 0;
        for (auto i = std::min(each, from); i < std::max(each, from); ++i) {
            const auto gain = advantage({short_method[0][i], short_method[1][i]},
                                        {long_method[0][i], long_method[1][i]});
            saved += (each < from ? gain : -gain) - tie;
        }
        if (saved > most) {
            most = saved;
            best = each;
        }
    }
    return best < lengths.size() ? lengths[best] : 2 * lengths.back();
}

std::array<ByLength, 2> both(const BothCosts& costs, Method method) {
    return {costs[0].of(method), costs[1].of(method)};
}

/// What shared-direct needs for runs that lie apart on both sides.
std::array<ByLength, 2> direct_apart(const BothCosts& costs, std::int64_t push_below_bytes) {
    auto direct = both(costs, Method::pull_apart);
    for (std::size_t i = 0; i < lengths.size() && lengths[i] < push_below_bytes; ++i) {
        for (std::size_t k = 0; k < costs.size(); ++k) {
            direct[k][i] = costs[k].of(Method::push_apart)[i];
        }
    }
    return direct;
}

Finding finding_from(const Measured& all) {
    if (all.pairs == 0) {
        return {};
    }
    const auto push_below = cheapest_threshold(
        both(all.costs, Method::push), both(all.costs, Method::pull), default_push_below_bytes);
    return {.is_measured = 1,
            .push_below_bytes = push_below,
            .stage_below_bytes =
                cheapest_threshold(both(all.costs, Method::stage_apart),
                                   direct_apart(all.costs, push_below), default_stage_below_bytes)};
}

/// What this process has found about the nodes that it is part of.
struct Findings {
    std::mutex mutex;
    std::map<memory::Node::Identity, Finding> of_node;
    [[nodiscard]] Finding find(const memory::Node& node) {
        const std::lock_guard lock(mutex);
        const auto found = of_node.find(node.identity());
        return found == of_node.end() ? Finding{} : found->second;
    }
    void keep(const memory::Node& node, const Finding& finding) {
        const std::lock_guard lock(mutex);
        of_node[node.identity()] = finding;
    }
};

// All sum up what the pairs have measured in one order, and decide alike, when all have measured.
Finding measure(const Pairing& pairing) {
    const auto costs = measure_pair(pairing);
    const Measured own{.costs = costs.value_or(BothCosts{}), .pairs = costs ? 1.0 : 0.0};
    Measured all;
    for (const auto& each : mpi::gathered(pairing.comm, pairing.node.ranks(), threshold_tag, own)) {
        all.add(each);
    }
    return finding_from(all);
}

}  // namespace

Thresholds thresholds_of(const mpi::Communicator& comm, const memory::Node& node) {
    const Pairing pairing{.comm = comm, .node = node};
    // Threads that bind at once over different communicators may each measure a node: what its
    // first rank knows counts for all, so that they do the same.
    auto finding =
        mpi::gathered(comm, node.ranks(), threshold_tag, mpi::lasting<Findings>().find(node))
            .front();
    if (finding.is_measured == 0 && finding.attempts < most_attempts) {
        const auto attempts = finding.attempts + 1;
        finding = measure(pairing);
        finding.attempts = attempts;
    }
    mpi::lasting<Findings>().keep(node, finding);
    return {.push_below_bytes = finding.push_below_bytes,
            .origin = finding.is_measured != 0
                          ? "measured"
                          : "default: no two ranks with a core each could measure",
            .stage_below_bytes = finding.stage_below_bytes,
            .is_final = finding.is_measured != 0 || finding.attempts >= most_attempts ||
                        node.oversubscribed() || node.ranks().size() == 1};
}

}  // namespace transrank::transport
