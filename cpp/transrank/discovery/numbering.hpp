// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "transrank/layout/distribution.hpp"
#include "transrank/layout/index_range.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::discovery {

/// The owner of a row, and the row's number there, from 0.
struct Place {
    int rank = 0;
    std::int64_t row = 0;
    friend bool operator==(const Place&, const Place&) = default;
};

/// The rows of all ranks, numbered consecutively in rank order. A rank only stores its own range
/// and the number of all rows, even if ranks own different numbers of rows. Owners are then looked
/// up in a distributed directory, unless every rank keeps a table.
class Numbering {
public:
    /// Collective. `owned` is this rank's number of rows. With `table`, the same on every rank,
    /// every rank keeps the numbers of rows of all ranks (8 bytes each) unless they are those of
    /// Distribution::even. Throws mpi::AgreedError when a number is negative, 64 bits cannot number
    /// all rows, or `table` differs.
    Numbering(const mpi::Communicator& comm, std::int64_t owned, bool table = false);

    /// Not collective. What `rank` of `ranks` knows of a numbering made before: its range `owned`,
    /// the rows of all ranks (`extent`), and the `owners`, if it knows them. Throws
    /// std::invalid_argument when the values do not fit each other.
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
    /// The owners of all rows, if every rank knows them: by formula if the rows are divided as by
    /// Distribution::even, otherwise from the table, if it is kept. The same on every rank.
    [[nodiscard]] const std::optional<layout::Distribution>& owners() const noexcept {
        return owners_;
    }
    /// A text that says who owns which row, as far as this rank knows; it differs if that differs.
    [[nodiscard]] std::string words() const;

    /// Not collective. The global index of `row` of `rank`, and the place of the row with global
    /// `index`. Without owners(), only this rank's rows are known. Throws std::invalid_argument
    /// when an argument is out of range or the row is not known.
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
