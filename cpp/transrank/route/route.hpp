// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "transrank/route/leg.hpp"

namespace transrank::route {

/// The lengths of a rank's local array of a grid, halo included, the slowest dimension in memory
/// first. Empty for an array that belongs to no grid, which only needs to be long enough.
using Shape = std::vector<std::int64_t>;

/// The shapes of a rank's source and destination arrays.
struct Shapes {
    Shape source;
    Shape destination;
    friend bool operator==(const Shapes&, const Shapes&) = default;
};

/// Which units one rank sends to each peer, and receives from it: plain data, without communicator,
/// immutable.
///
/// The leg (all that moves) from rank a to rank b is among a's sends and b's receives, with
/// identical segments. A rank that moves data within itself has a leg to itself in both.
class Route {
public:
    /// The route of `rank` among `ranks` ranks, from the legs `sends` and `receives`, in any order
    /// of peers; empty legs are dropped. source_extent and destination_extent are the units that
    /// this rank's source and destination arrays must have: exactly, if the array has one of
    /// `shapes`, otherwise at least. Throws std::invalid_argument naming the rank, the leg and the
    /// values when a peer is out of range or has two legs in one list, a segment is invalid or lies
    /// outside this rank's array, a shape has another number of units than the extent, or the leg
    /// of the rank to itself differs between the lists.
    Route(int rank, int ranks, std::int64_t source_extent, std::int64_t destination_extent,
          std::vector<Leg> sends, std::vector<Leg> receives, Shapes shapes = {});

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int ranks() const noexcept { return ranks_.number; }
    [[nodiscard]] std::int64_t source_extent() const noexcept { return source_extent_; }
    [[nodiscard]] std::int64_t destination_extent() const noexcept { return destination_extent_; }
    [[nodiscard]] const Shapes& shapes() const noexcept { return shapes_; }
    /// The legs that this rank sends or receives, ascending by peer.
    [[nodiscard]] std::span<const Leg> sends() const noexcept { return sends_; }
    [[nodiscard]] std::span<const Leg> receives() const noexcept { return receives_; }

    /// The reverse route: what was received is sent, and vice versa. The order of units in each leg
    /// stays.
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
