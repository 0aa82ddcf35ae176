// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "transrank/route/leg.hpp"

namespace transrank::route {

/// The lengths of a rank's local array of a grid, halo included, the slowest dimension in memory
/// first. Empty where a side is not a grid's: then an array is any that is long enough.
using Shape = std::vector<std::int64_t>;

/// Of both sides of a route.
struct Shapes {
    Shape source;
    Shape destination;
    friend bool operator==(const Shapes&, const Shapes&) = default;
};

/// The data that one rank sends to and receives from each peer: pure data, without communicator,
/// immutable.
///
/// The leg from rank a to rank b is among a's sends and b's receives with identical segments. A
/// rank that moves data within itself has a leg to itself in both.
class Route {
public:
    /// Of `rank` among `ranks`: `sends` and `receives` in any order of peers; empty legs are
    /// dropped. source_extent and destination_extent are the units that this rank's source and
    /// destination arrays must have at least, or exactly where they have one of `shapes`. Throws
    /// std::invalid_argument naming the rank, the leg and the values when a peer is out of range or
    /// twice there, a segment has a negative field or lies outside its own rank's extent, or a
    /// shape has another number of units than the extent.
    Route(int rank, int ranks, std::int64_t source_extent, std::int64_t destination_extent,
          std::vector<Leg> sends, std::vector<Leg> receives, Shapes shapes = {});

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int ranks() const noexcept { return ranks_.number; }
    [[nodiscard]] std::int64_t source_extent() const noexcept { return source_extent_; }
    [[nodiscard]] std::int64_t destination_extent() const noexcept { return destination_extent_; }
    [[nodiscard]] const Shapes& shapes() const noexcept { return shapes_; }
    /// Ascending by peer.
    [[nodiscard]] std::span<const Leg> sends() const noexcept { return sends_; }
    [[nodiscard]] std::span<const Leg> receives() const noexcept { return receives_; }

    /// The way back: what was received is sent and the other way round. The order within each pair
    /// stays, since it belongs to the pair.
    [[nodiscard]] Route transposed() const;
    /// Whether it is the way back along the route that was made, or loaded.
    [[nodiscard]] bool is_transposed() const noexcept { return way_.is_back; }

    friend bool operator==(const Route&, const Route&) = default;

private:
    /// Routes that move the same are equal, whichever way that is.
    struct Way {
        bool is_back = false;
        friend bool operator==(Way, Way) noexcept { return true; }
    };

    /// Of a route that was moved from, 0: no communicator takes it.
    struct Ranks {
        int number;
        explicit Ranks(int ranks) : number(ranks) {}
        Ranks(const Ranks&) = default;
        Ranks& operator=(const Ranks&) = default;
        Ranks(Ranks&& other) noexcept : number(std::exchange(other.number, 0)) {}
        Ranks& operator=(Ranks&& other) noexcept {
            number = std::exchange(other.number, 0);
            return *this;
        }
        ~Ranks() = default;
        friend bool operator==(const Ranks&, const Ranks&) = default;
    };

    int rank_;
    Ranks ranks_;
    std::int64_t source_extent_;
    std::int64_t destination_extent_;
    std::vector<Leg> sends_;
    std::vector<Leg> receives_;
    Shapes shapes_;
    Way way_;
};

/// Which half of its route a rank computes.
enum class Direction : std::uint8_t { sending, receiving };

/// The leg with a peer among legs that ascend by peer, or null.
[[nodiscard]] const Leg* find_leg(std::span<const Leg> legs, int peer) noexcept;

}  // namespace transrank::route
