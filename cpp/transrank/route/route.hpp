// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "transrank/route/leg.hpp"

namespace transrank::route {

/// The extents (lengths of the dimensions) of a rank's local array of a grid, halo included, the
/// slowest dimension in memory first. The shape is empty if the array belongs to no grid; the array
/// then only needs to be long enough.
using Shape = std::vector<std::int64_t>;

/// The shapes of a rank's source and destination arrays.
struct Shapes {
    Shape source;
    Shape destination;
    friend bool operator==(const Shapes&, const Shapes&) = default;
};

/// Which units (rows or cells) one rank sends to each peer and receives from it. A route is plain,
/// immutable data without a communicator.
///
/// The leg (all units that move) from rank a to rank b is among a's sends and b's receives, with
/// identical segments. A rank that moves data within itself has a leg to itself in both lists.
class Route {
public:
    /// The route of `rank` among `ranks` ranks, from the legs `sends` and `receives`, in any order
    /// of peers; empty legs are dropped. source_extent and destination_extent are the numbers of
    /// units in this rank's source and destination arrays. An array that has one of `shapes` must
    /// have exactly this many units, any other array at least this many. Throws
    /// std::invalid_argument, which names the rank, the leg and the values, if a peer is out of
    /// range or has two legs in one list, a segment is invalid or lies outside this rank's array, a
    /// shape does not have as many units as the extent, or the rank's leg to itself differs between
    /// the lists.
    Route(int rank, int ranks, std::int64_t source_extent, std::int64_t destination_extent,
          std::vector<Leg> sends, std::vector<Leg> receives, Shapes shapes = {});

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int ranks() const noexcept { return ranks_.number; }
    [[nodiscard]] std::int64_t source_extent() const noexcept { return source_extent_; }
    [[nodiscard]] std::int64_t destination_extent() const noexcept { return destination_extent_; }
    [[nodiscard]] const Shapes& shapes() const noexcept { return shapes_; }
    /// `sends` returns the legs that this rank sends, `receives` those that it receives, each
    /// ascending by peer.
    [[nodiscard]] std::span<const Leg> sends() const noexcept { return sends_; }
    [[nodiscard]] std::span<const Leg> receives() const noexcept { return receives_; }

    /// The reverse route: it sends what this route receives, and vice versa. The order of units in
    /// each leg stays the same.
    [[nodiscard]] Route transposed() const;
    /// Whether this is the reverse of the route that was made or loaded.
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

/// Whether a rank computes the sends or the receives of its route.
enum class Direction : std::uint8_t { sending, receiving };

/// The leg with `peer` among `legs`, which ascend by peer; nullptr if there is none.
[[nodiscard]] const Leg* find_leg(std::span<const Leg> legs, int peer) noexcept;

}  // namespace transrank::route
