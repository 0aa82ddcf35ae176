// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "pattern.hpp"
#include "transrank/copy/field.hpp"
#include "transrank/copy/view.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/memory/array_memory.hpp"
#include "transrank/transport/failure.hpp"
#include "world.hpp"

namespace testing {

using transrank::copy::Operation;
using transrank::copy::Scalar;
using transrank::copy::View;
using transrank::exchange::Exchange;
using transrank::exchange::Misuse;
using transrank::exchange::Options;
using transrank::transport::BrokenExchange;
using transrank::transport::Failure;
using Bytes = std::vector<std::byte>;

/// Rows of one field: what they consist of and how long they are.
struct FieldKind {
    Scalar scalar;
    std::int64_t unit_bytes;
};

/// Calls `action` with a value of the scalar's type; opaque rows consist of bytes.
template <class Action>
void with_type(Scalar scalar, const Action& action) {
    switch (scalar) {
        case Scalar::int8:
            return action(std::int8_t{});
        case Scalar::int16:
            return action(std::int16_t{});
        case Scalar::int32:
            return action(std::int32_t{});
        case Scalar::int64:
            return action(std::int64_t{});
        case Scalar::uint16:
            return action(std::uint16_t{});
        case Scalar::uint32:
            return action(std::uint32_t{});
        case Scalar::uint64:
            return action(std::uint64_t{});
        case Scalar::float32:
            return action(float{});
        case Scalar::float64:
            return action(double{});
        case Scalar::uint8:
        case Scalar::opaque:
            return action(std::uint8_t{});
    }
}

/// Numbers of very different size, so that the order of a sum shows in its last bits. For min and
/// max also NaN and zeros, of either sign, so that it shows which one stays.
inline void fill(std::span<std::byte> bytes, Scalar scalar, std::uint64_t seed,
                 Operation operation) {
    const bool special = operation == Operation::min || operation == Operation::max;
    Random random(seed);
    with_type(scalar, [&]<class T>(T) {
        for (std::size_t offset = 0; offset + sizeof(T) <= bytes.size(); offset += sizeof(T)) {
            T value{};
            if constexpr (std::is_floating_point_v<T>) {
                const auto mantissa = static_cast<T>(between(random, -1000003, 1000003));
                value = std::ldexp(mantissa, static_cast<int>(between(random, -30, 30)));
                if (special && chance(random, 0.3)) {
                    const T bare = chance(random, 0.5) ? T{} : std::numeric_limits<T>::quiet_NaN();
                    value = std::copysign(bare, mantissa);
                }
            } else {
                value = static_cast<T>(random());
            }
            std::memcpy(bytes.data() + offset, &value, sizeof(T));
        }
    });
}

/// The oracle's combination of one unit.
inline void combine(Operation operation, const FieldKind& kind, std::byte* destination,
                    const std::byte* source) {
    with_type(kind.scalar, [&]<class T>(T) {
        for (std::int64_t offset = 0; offset < kind.unit_bytes; offset += sizeof(T)) {
            T mine{};
            T theirs{};
            std::memcpy(&mine, destination + offset, sizeof(T));
            std::memcpy(&theirs, source + offset, sizeof(T));
            if (operation == Operation::min || operation == Operation::max) {
                bool stays = operation == Operation::min ? mine <= theirs : mine >= theirs;
                if constexpr (std::is_floating_point_v<T>) {
                    stays = stays || std::isnan(mine);
                }
                theirs = stays ? mine : theirs;
            } else if (operation == Operation::add) {
                if constexpr (std::is_floating_point_v<T>) {
                    theirs = mine + theirs;
                } else {  // wraps
                    theirs = static_cast<T>(static_cast<std::uint64_t>(mine) +
                                            static_cast<std::uint64_t>(theirs));
                }
            }
            std::memcpy(destination + offset, &theirs, sizeof(T));
        }
    });
}

inline FieldKind random_kind(Random& random, bool opaque_too) {
    if (opaque_too && chance(random, 0.3)) {
        return {.scalar = Scalar::opaque, .unit_bytes = between(random, 1, 300)};
    }
    const auto scalar = static_cast<Scalar>(
        between(random, static_cast<int>(Scalar::int8), static_cast<int>(Scalar::float64)));
    std::int64_t bytes = 0;
    with_type(scalar, [&]<class T>(T) { bytes = sizeof(T); });
    return {.scalar = scalar,
            .unit_bytes = bytes * (chance(random, 0.2) ? 40 : between(random, 1, 6))};
}

/// Where the arrays of a rank lie.
enum class Home { shared, user };

/// How the elements of an array lie in memory.
struct Shape {
    std::vector<View::Dimension> dimensions;  ///< the slowest first; none: one after the other
    std::int64_t element_bytes = 1;

    /// The distance of each element from the first one.
    [[nodiscard]] std::vector<std::int64_t> distances() const {
        std::vector<std::int64_t> all{0};
        for (const auto& dimension : dimensions) {
            std::vector<std::int64_t> finer;
            for (const auto from : all) {
                for (std::int64_t i = 0; i < dimension.count; ++i) {
                    finer.push_back(from + (i * dimension.stride));
                }
            }
            all = std::move(finer);
        }
        return all;
    }
};

/// Dimensions in any order in memory, with gaps, some of them backwards.
inline Shape random_shape(Random& random, std::int64_t units, const FieldKind& kind) {
    Shape shape;
    if (units == 0) {
        return shape;
    }
    with_type(kind.scalar, [&]<class T>(T) { shape.element_bytes = sizeof(T); });
    const auto columns = std::array<std::int64_t, 3>{1, 2, 3}.at(random() % 3);
    const auto fastest = units % columns == 0 ? columns : 1;
    for (const auto count : {units / fastest, fastest, kind.unit_bytes / shape.element_bytes}) {
        shape.dimensions.push_back({.count = count});
    }
    std::vector<View::Dimension*> in_memory;
    for (auto& dimension : shape.dimensions) {
        in_memory.push_back(&dimension);
    }
    if (chance(random, 0.5)) {
        std::ranges::shuffle(in_memory, random);
    } else {
        std::ranges::reverse(in_memory);
    }
    auto extent = shape.element_bytes;
    for (auto* dimension : in_memory) {
        const auto gap = chance(random, 0.5) ? 0 : between(random, 1, 5);
        dimension->stride = extent + (chance(random, 0.7) ? gap * shape.element_bytes : gap);
        extent = dimension->stride * dimension->count;
        dimension->stride *= chance(random, 0.3) ? -1 : 1;
    }
    return shape;
}

/// Which arrays a start may move.
enum class Starts { bound, sets, any };

/// Everything about an exchange, known on every rank, so that each can work out what it must get.
struct Scenario {
    Pattern pattern;
    std::vector<FieldKind> kinds;
    Operation operation = Operation::assign;
    std::vector<Home> source_homes;  ///< by rank
    std::vector<Home> destination_homes;
    std::uint64_t seed = 0;
    Starts starts = Starts::bound;
    bool has_views = false;

    /// Of a field of a rank, at its source (0) or its destination (1).
    [[nodiscard]] Shape shape(int rank, std::size_t field, std::uint64_t side) const {
        auto random = random_of(rank, field, 0, side);
        const auto& units = side == 0 ? pattern.source_units : pattern.destination_units;
        return has_views && chance(random, 0.5)
                   ? random_shape(random, units[static_cast<std::size_t>(rank)], kinds[field])
                   : Shape{};
    }
    /// Whether peers may read or write it.
    [[nodiscard]] bool is_reachable(int rank, std::size_t field, std::uint64_t side) const {
        const auto& homes = side == 0 ? source_homes : destination_homes;
        const auto is = shape(rank, field, side);
        return starts != Starts::any && homes[static_cast<std::size_t>(rank)] == Home::shared &&
               !View::of(is.dimensions, is.element_bytes);
    }

    /// Whether the arrays of a rank lie in memory without gaps.
    [[nodiscard]] bool is_dense(int rank) const {
        for (std::size_t field = 0; field < kinds.size(); ++field) {
            for (const std::uint64_t side : {0, 1}) {
                const auto is = shape(rank, field, side);
                if (View::of(is.dimensions, is.element_bytes)) {
                    return false;
                }
            }
        }
        return true;
    }

    [[nodiscard]] bool ordered(int rank) const {
        return operation != Operation::assign || pattern.overwrites(rank);
    }

    /// What a field of a rank holds before an epoch, in its source or its destination.
    [[nodiscard]] Bytes source(int rank, std::size_t field, int epoch) const {
        return content(pattern.source_units, rank, field, epoch, 0);
    }
    [[nodiscard]] Bytes destination(int rank, std::size_t field, int epoch) const {
        return content(pattern.destination_units, rank, field, epoch, 1);
    }

    /// The oracle: what the destination holds afterwards.
    [[nodiscard]] Bytes expected(int rank, std::size_t field, int epoch) const {
        auto result = destination(rank, field, epoch);
        const auto& kind = kinds[field];
        for (int from = 0; from < pattern.ranks; ++from) {
            const auto leg = pattern.legs.find({from, rank});
            if (leg == pattern.legs.end()) {
                continue;
            }
            const auto sent = source(from, field, epoch);
            Pattern::visit(leg->second, [&](std::int64_t source_unit, std::int64_t unit) {
                combine(operation, kind, result.data() + (unit * kind.unit_bytes),
                        sent.data() + (source_unit * kind.unit_bytes));
            });
        }
        return result;
    }

private:
    [[nodiscard]] Bytes content(const std::vector<std::int64_t>& units, int rank, std::size_t field,
                                int epoch, std::uint64_t side) const {
        const auto& kind = kinds[field];
        Bytes bytes(
            static_cast<std::size_t>(units[static_cast<std::size_t>(rank)] * kind.unit_bytes));
        fill(bytes, kind.scalar, random_of(rank, field, epoch, side)(), operation);
        return bytes;
    }
    [[nodiscard]] Random random_of(int rank, std::size_t field, int epoch,
                                   std::uint64_t side) const {
        std::seed_seq mix{seed, static_cast<std::uint64_t>(rank), std::uint64_t{field},
                          static_cast<std::uint64_t>(epoch), side};
        std::vector<std::uint32_t> mixed(2);
        mix.generate(mixed.begin(), mixed.end());
        return Random((std::uint64_t{mixed[0]} << 32U) | mixed[1]);
    }
};

/// An array with guards on both sides and in its gaps, in shared or in ordinary memory.
class Array {
public:
    Array(std::size_t bytes, Home home, Shape shape) : bytes_(bytes), shape_(std::move(shape)) {
        if (shape_.dimensions.empty()) {
            shape_ = {.dimensions = {{.count = static_cast<std::int64_t>(bytes), .stride = 1}}};
        }
        distances_ = shape_.distances();
        std::int64_t least = 0;
        std::int64_t end = 0;
        for (const auto distance : distances_) {
            least = std::min(least, distance);
            end = std::max(end, distance + shape_.element_bytes);
        }
        const auto room = static_cast<std::size_t>(end - least) + (2 * guard_bytes);
        if (home == Home::shared) {
            shared_ = std::make_unique<transrank::memory::ArrayMemory>(room);
            memory_ = shared_->bytes();
        } else {
            own_.resize(room);
            memory_ = own_;
        }
        std::ranges::fill(memory_, guard);
        first_ = memory_.data() + guard_bytes - least;
    }

    [[nodiscard]] std::byte* data() const { return first_; }
    [[nodiscard]] std::size_t size() const { return bytes_; }
    [[nodiscard]] std::shared_ptr<const View> view() const {
        return View::of(shape_.dimensions, shape_.element_bytes);
    }
    void write(const Bytes& content) const {
        for_each([&](std::byte* element, std::size_t at, std::size_t length) {
            std::memcpy(element, content.data() + at, length);
        });
    }
    [[nodiscard]] Bytes read() const {
        Bytes content(bytes_);
        for_each([&](const std::byte* element, std::size_t at, std::size_t length) {
            std::memcpy(content.data() + at, element, length);
        });
        return content;
    }
    [[nodiscard]] bool guards_hold() const {
        const auto content = read();
        for_each([](std::byte* element, std::size_t /*at*/, std::size_t length) {
            std::fill_n(element, length, guard);
        });
        const bool hold =
            std::ranges::all_of(memory_, [](std::byte each) { return each == guard; });
        write(content);
        return hold;
    }

private:
    template <class Visit>
    void for_each(const Visit& visit) const {
        const auto length = static_cast<std::size_t>(shape_.element_bytes);
        for (std::size_t i = 0; i < bytes_ / length; ++i) {
            visit(first_ + distances_[i], i * length, length);
        }
    }

    static constexpr std::size_t guard_bytes = 24;
    static constexpr std::byte guard{0xA5};
    std::size_t bytes_;
    Shape shape_;
    std::vector<std::int64_t> distances_;
    std::unique_ptr<transrank::memory::ArrayMemory> shared_;
    Bytes own_;
    std::span<std::byte> memory_;
    std::byte* first_ = nullptr;
};

/// The arrays of one rank in a scenario.
class Arrays {
public:
    Arrays(const Scenario& scenario, int rank) : scenario_(scenario), rank_(rank) {
        const auto own = static_cast<std::size_t>(rank);
        for (std::size_t i = 0; i < scenario.kinds.size(); ++i) {
            const auto bytes = [&](std::int64_t units) {
                return static_cast<std::size_t>(units * scenario.kinds[i].unit_bytes);
            };
            sources_.emplace_back(bytes(scenario.pattern.source_units[own]),
                                  scenario.source_homes[own], scenario.shape(rank, i, 0));
            destinations_.emplace_back(bytes(scenario.pattern.destination_units[own]),
                                       scenario.destination_homes[own], scenario.shape(rank, i, 1));
        }
    }

    [[nodiscard]] std::vector<transrank::copy::Field> fields() const {
        std::vector<transrank::copy::Field> fields;
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            fields.push_back(
                {.source = sources_[i].data(),
                 .source_bytes = static_cast<std::int64_t>(sources_[i].size()),
                 .destination = destinations_[i].data(),
                 .destination_bytes = static_cast<std::int64_t>(destinations_[i].size()),
                 .unit_bytes = scenario_.kinds[i].unit_bytes,
                 .scalar = scenario_.kinds[i].scalar,
                 .source_view = sources_[i].view(),
                 .destination_view = destinations_[i].view()});
        }
        return fields;
    }

    void fill(int epoch) const {
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            sources_[i].write(scenario_.source(rank_, i, epoch));
            destinations_[i].write(scenario_.destination(rank_, i, epoch));
        }
    }

    /// The first thing that is not as the oracle says; empty when all is well.
    [[nodiscard]] std::string difference(int epoch) const {
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            const auto name = "field " + std::to_string(i) + ", epoch " + std::to_string(epoch);
            if (destinations_[i].read() != scenario_.expected(rank_, i, epoch)) {
                return name + ": wrong destination";
            }
            if (sources_[i].read() != scenario_.source(rank_, i, epoch)) {
                return name + ": source changed";
            }
            if (!sources_[i].guards_hold() || !destinations_[i].guards_hold()) {
                return name + ": memory around an array changed";
            }
        }
        return "";
    }

private:
    const Scenario& scenario_;
    int rank_;
    std::vector<Array> sources_;
    std::vector<Array> destinations_;
};

inline Scenario random_scenario(std::uint64_t seed, int ranks) {
    Random random(seed);
    const bool overlap = chance(random, 0.3);
    auto pattern = chance(random, 0.5) ? random_lists(random, ranks, overlap)
                                       : random_segments(random, ranks, overlap);
    if (chance(random, 0.4)) {
        pattern = pattern.transposed();
    }
    Scenario scenario{.pattern = std::move(pattern),
                      .kinds = {},
                      .source_homes = {},
                      .destination_homes = {},
                      .seed = seed};
    scenario.operation = static_cast<Operation>(between(random, 0, 3));
    for (auto left = between(random, 1, 3); left > 0; --left) {
        scenario.kinds.push_back(random_kind(random, scenario.operation == Operation::assign));
    }
    const auto shared = static_cast<double>(between(random, 0, 2)) / 2;  // none, some, all
    for (int rank = 0; rank < ranks; ++rank) {
        scenario.source_homes.push_back(chance(random, shared) ? Home::shared : Home::user);
        scenario.destination_homes.push_back(chance(random, shared) ? Home::shared : Home::user);
    }
    scenario.has_views = chance(random, 0.4);
    scenario.starts = static_cast<Starts>(between(random, 0, 2));
    return scenario;
}

/// A scenario with its arrays, bound.
struct Bound {
    Scenario scenario;
    Arrays arrays;
    std::unique_ptr<Exchange> exchange;

    Bound(Scenario some, const std::string& transport)
        : scenario(std::move(some)), arrays(scenario, world_rank()) {
        Options options;
        options.operation = scenario.operation;
        options.transport = transport;
        exchange = std::make_unique<Exchange>(scenario.pattern.route(world_rank()), all_ranks,
                                              arrays.fields(), options);
    }

    void run(int epoch) {
        arrays.fill(epoch);
        exchange->run();
        CHECK(arrays.difference(epoch) == "");
    }
};

}  // namespace testing
