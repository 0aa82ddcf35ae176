// SPDX-License-Identifier: BSD-3-Clause
// The question is which method costs less in all: the owner rewrites its runs, they move, the
// reader reads them. A pull looks expensive in isolation, but a push may shift that cost to the
// owner's next write.
#include "transrank/transport/shared/thresholds.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <system_error>
#include <type_traits>

#include "transrank/copy/runs.hpp"
#include "transrank/memory/shared_pool.hpp"
#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/mpi/swap.hpp"
#include "transrank/transport/control_block.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::transport {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::array<std::int64_t, 6> lengths{8, 16, 32, 64, 128, 256};
constexpr std::int64_t runs = 256;
constexpr std::int64_t stride = 512;  // each run on lines of its own, as in a face of a block
constexpr int repetitions = 7;
constexpr double worthwhile = 1.05;  // factor that pushing or packing must save
// Of one pair; a rank without a core would take longer.
constexpr std::chrono::milliseconds most_time{40};

/// How runs get from the owner to the reader. At the reader they lie one after the other, or, the
/// last three methods, apart as at the owner.
enum class Method : std::uint8_t { push, pull, push_apart, pull_apart, stage_apart };
constexpr std::array methods{Method::push, Method::pull, Method::push_apart, Method::pull_apart,
                             Method::stage_apart};
constexpr bool is_apart(Method method) {
    return method >= Method::push_apart;
}

/// What the two ranks of a pair share. The owner is the lower one.
struct SharedArea {
    Flag written;  ///< by the owner: the number of a round
    Flag read;     ///< by the reader
    std::array<std::byte, runs * stride> source;
    std::array<std::byte, runs * stride> destination;
    std::array<std::byte, runs * lengths.back()> box;  ///< what is packed
};

/// The medians of a pair, in seconds, by length.
using ByLength = std::array<double, lengths.size()>;
struct Costs {
    std::array<ByLength, methods.size()> by_method{};

    [[nodiscard]] const ByLength& of(Method method) const {
        return by_method[static_cast<std::size_t>(method)];
    }
};

/// One side of the measurement. Gives up when the time is over; then so does the other one.
class Side {
public:
    Side(SharedArea& area, bool owner)
        : area_(area), owner_(owner), end_(Clock::now() + most_time) {}

    std::optional<Costs> measure() {
        Costs costs;
        for (std::size_t i = 0; i < lengths.size() && !late_; ++i) {
            for (std::size_t method = 0; method < methods.size(); ++method) {
                costs.by_method[method][i] = median_of_rounds(lengths[i], methods[method]);
            }
        }
        return late_ ? std::nullopt : std::optional(costs);
    }

private:
    double median_of_rounds(std::int64_t length, Method method) {
        std::array<double, repetitions> seconds{};
        for (auto& each : seconds) {
            each = owner_ ? write_round(length, method) : read_round(length, method);
        }
        const auto middle = seconds.begin() + (repetitions / 2);
        std::ranges::nth_element(seconds, middle);
        return *middle;
    }

    double write_round(std::int64_t length, Method method) {
        const auto begin = Clock::now();
        ++round_;
        for (std::int64_t i = 0; i < runs; ++i) {
            std::memset(area_.source.data() + (i * stride), static_cast<int>(round_ % 128),
                        static_cast<std::size_t>(length));
        }
        if (method == Method::push || method == Method::push_apart) {
            move(length, method);
        } else if (method == Method::stage_apart) {
            copy(area_.source.data(), stride, area_.box.data(), length, length);
        }
        area_.written.publish(round_);
        await(area_.read);
        return Seconds(Clock::now() - begin).count();
    }

    double read_round(std::int64_t length, Method method) {
        ++round_;
        await(area_.written);
        if (method == Method::pull || method == Method::pull_apart) {
            move(length, method);
        } else if (method == Method::stage_apart) {
            copy(area_.box.data(), length, area_.destination.data(), stride, length);
        }
        const auto distance = is_apart(method) ? stride : length;
        std::uint64_t sum = 0;
        for (std::int64_t run = 0; run < runs; ++run) {
            for (std::int64_t i = 0; i < length; i += 8) {
                std::uint64_t word = 0;
                std::memcpy(&word, area_.destination.data() + (run * distance) + i, sizeof(word));
                sum += word;
            }
        }
        asm volatile("" : : "r"(sum));  // the reading is not optimised away
        area_.read.publish(round_);
        return 0;
    }

    void move(std::int64_t length, Method method) {
        copy(area_.source.data(), stride, area_.destination.data(),
             is_apart(method) ? stride : length, length);
    }

    static void copy(const std::byte* from, std::int64_t from_stride, std::byte* to,
                     std::int64_t to_stride, std::int64_t length) {
        copy::copy_runs({.source = 0,
                         .destination = 0,
                         .length = length,
                         .count = runs,
                         .source_stride = from_stride,
                         .destination_stride = to_stride},
                        from, to);
    }

    void await(const Flag& flag) {
        while (flag.seen() < round_ && !late_) {
            late_ = Clock::now() > end_;
        }
    }

    SharedArea& area_;
    bool owner_;
    Clock::time_point end_;
    std::uint64_t round_ = 0;
    bool late_ = false;
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

/// What both ranks of a pair write to each other.
struct Proposal {
    memory::BlockHandle area;  ///< of the writer; that of the lower rank is used
    std::int64_t reaches = 0;  ///< whether it can map the reader's memory
};

Proposal swap(const mpi::Communicator& comm, int partner, const Proposal& own) {
    Proposal theirs;
    mpi::swap_with(comm, std::span(&partner, 1), threshold_tag, std::as_bytes(std::span(&own, 1)),
                   std::as_writable_bytes(std::span(&theirs, 1)));
    return theirs;
}

/// SharedArea of this rank's own, or nothing where there is no memory for it.
std::unique_ptr<memory::SharedBlock> make_area() {
    try {
        auto block = std::make_unique<memory::SharedBlock>(sizeof(SharedArea));
        new (block->bytes().data()) SharedArea;
        return block;
    } catch (const std::system_error&) {
        return nullptr;
    }
}

SharedArea& area_at(std::byte* memory) {
    return *std::launder(reinterpret_cast<SharedArea*>(memory));
}

std::optional<Costs> measure_as_reader(const memory::BlockHandle& handle) {
    try {
        const memory::MappedBlock mapped(handle);
        return Side(area_at(mapped.data()), false).measure();
    } catch (const std::exception&) {
        return std::nullopt;  // the owner waits in vain, and not for long
    }
}

/// What the owner of this rank's pair has measured; nothing on its reader, nor where there is no
/// pair. `area`: this rank's own, if it could have one; it must outlive the partner's measuring.
std::optional<Costs> measure_pair(const Pairing& pairing, const memory::SharedBlock* area) {
    const auto partner = pairing.partner();
    if (!partner || pairing.node.oversubscribed()) {
        return std::nullopt;
    }
    const auto theirs = swap(pairing.comm, *partner,
                             {.area = area == nullptr ? memory::BlockHandle{} : area->handle(),
                              .reaches = pairing.node.shares_with(*partner) ? 1 : 0});
    const bool is_owner = pairing.comm.rank() < *partner;
    const bool has_area = is_owner ? area != nullptr : theirs.area.is_shared();
    if (!has_area || theirs.reaches == 0 || !pairing.node.shares_with(*partner)) {
        return std::nullopt;
    }
    if (is_owner) {
        return Side(area_at(area->bytes().data()), true).measure();
    }
    (void)measure_as_reader(theirs.area);
    return std::nullopt;
}

/// What has been measured by one pair, or by several together.
struct Measured {
    Costs costs{};
    double pairs = 0;

    void add(const Measured& other) {
        for (std::size_t method = 0; method < methods.size(); ++method) {
            for (std::size_t i = 0; i < lengths.size(); ++i) {
                costs.by_method[method][i] += other.costs.by_method[method][i];
            }
        }
        pairs += other.pairs;
    }
};

/// What is known of a node, as its ranks tell each other.
struct Finding {
    std::int64_t is_known = 0;
    std::int64_t is_measured = 0;
    std::int64_t push_below_bytes = default_push_below_bytes;
    std::int64_t stage_below_bytes = 0;
};

// The length from which on `long_method` costs less than `short_method`. The methods are compared
// by ratios, so that a short length counts as much as a long one. Where both are about even, the
// long method is taken: for pulling, that leaves the owner's lines clean when it does not rewrite
// them.
std::int64_t cheapest_threshold(const ByLength& short_method, const ByLength& long_method) {
    std::int64_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t shorter = 0; shorter <= lengths.size(); ++shorter) {
        double cost = 0;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            cost += std::log(i < shorter ? short_method[i] * worthwhile : long_method[i]);
        }
        if (cost < least) {
            least = cost;
            best = shorter < lengths.size() ? lengths[shorter] : 2 * lengths.back();
        }
    }
    return best;
}

/// What shared-direct needs for runs that lie apart on both sides.
ByLength direct_apart(const Costs& costs, std::int64_t push_below_bytes) {
    ByLength direct{};
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const auto method = lengths[i] < push_below_bytes ? Method::push_apart : Method::pull_apart;
        direct[i] = costs.of(method)[i];
    }
    return direct;
}

Finding finding_from(const Measured& all) {
    if (all.pairs == 0) {
        return {.is_known = 1};
    }
    const auto push_below =
        cheapest_threshold(all.costs.of(Method::push), all.costs.of(Method::pull));
    return {.is_known = 1,
            .is_measured = 1,
            .push_below_bytes = push_below,
            .stage_below_bytes = cheapest_threshold(all.costs.of(Method::stage_apart),
                                                    direct_apart(all.costs, push_below))};
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
    const auto area = pairing.partner() && !pairing.node.oversubscribed() ? make_area() : nullptr;
    const auto costs = measure_pair(pairing, area.get());
    const Measured own{.costs = costs.value_or(Costs{}), .pairs = costs ? 1.0 : 0.0};
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
    if (finding.is_known == 0) {
        finding = measure(pairing);
    }
    mpi::lasting<Findings>().keep(node, finding);
    return {.push_below_bytes = finding.push_below_bytes,
            .origin = finding.is_measured != 0
                          ? "measured"
                          : "default: no two ranks with a core each could measure",
            .stage_below_bytes = finding.stage_below_bytes};
}

}  // namespace transrank::transport
