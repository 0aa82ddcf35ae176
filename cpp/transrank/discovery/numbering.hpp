// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "transrank/layout/distribution.hpp"
#include "transrank/layout/index_range.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::discovery {

/// The rank that owns a row, and the row's number among the rows of that rank, from 0.
struct Place {
    int rank = 0;
    std::int64_t row = 0;
    friend bool operator==(const Place&, const Place&) = default;
};

/// The rows of all ranks, numbered consecutively in rank order. A rank stores only its own range
/// and the number of all rows, even if ranks own different numbers of rows. In that case, owners of
/// rows are looked up in a distributed directory, unless every rank keeps a table.
class Numbering {
public:
    /// Collective. `owned` is this rank's number of rows. If `table` is true, every rank keeps the
    /// numbers of rows of all ranks (8 bytes each), unless Distribution::even gives the same
    /// numbers. Throws mpi::AgreedError if a number is negative, if 64 bits cannot number all rows,
    /// or if `table` differs between ranks.
    Numbering(const mpi::Communicator& comm, std::int64_t owned, bool table = false);

    /// Not collective. Restores what `rank` of `ranks` knows of a numbering made before: the range
    /// `owned` of its own rows, the number of all rows (`extent`), and the `owners`, if it knows
    /// them. Throws std::invalid_argument if the values contradict each other.
    Numbering(int rank, int ranks, layout::IndexRange owned, std::int64_t extent,
              std::optional<layout::Distribution> owners);

    /// Throws std::invalid_argument unless this numbering was made by this rank among as many ranks
    /// as `comm` has.
    void check_made_for(const mpi::Communicator& comm) const;

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int ranks() const noexcept { return ranks_; }
    [[nodiscard]] layout::IndexRange owned() const noexcept { return owned_; }
    /// The number of rows of all ranks together.
    [[nodiscard]] std::int64_t extent() const noexcept { return extent_; }
    /// The owners of all rows, or std::nullopt if ranks do not know them. Ranks know them by
    /// formula if the rows are divided as by Distribution::even, otherwise from the table, if it is
    /// kept. The result is the same on every rank.
    [[nodiscard]] const std::optional<layout::Distribution>& owners() const noexcept {
        return owners_;
    }
    /// A text that says who owns which row, as far as this rank knows. If that knowledge differs,
    /// the text differs.
    [[nodiscard]] std::string words() const;

    /// Not collective. `global_index` returns the global index of `row` of `rank`; `place` returns
    /// the owner of the row with global `index`, and the row's number there. If owners() is empty,
    /// only this rank's rows are known. Throws std::invalid_argument if an argument is out of range
    /// or the row is not known.
    [[nodiscard]] std::int64_t global_index(int rank, std::int64_t row) const;
    [[nodiscard]] Place place(std::int64_t index) const;

private:
    int rank_;
    int ranks_;
    layout::IndexRange owned_;
    std::int64_t extent_ = 0;
    std::optional<layout::Distribution> owners_;
};

}  // namespace transrank::discovery
