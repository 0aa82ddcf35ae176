// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "transrank/layout/distribution.hpp"
#include "transrank/layout/index_range.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::discovery {

/// A row, counted from 0 on the rank that owns it.
struct Place {
    int rank = 0;
    std::int64_t row = 0;
    friend bool operator==(const Place&, const Place&) = default;
};

/// The rows of all ranks numbered through, in the order of the ranks, as far as one rank needs to
/// know: its own range and how many there are. Of constant size also when ranks own different
/// numbers of rows: then owners are looked up in a distributed directory, unless a table is kept.
class Numbering {
public:
    /// Collective. `owned` is this rank's number of rows. With `table`, the same on every rank,
    /// numbers of rows that differ are kept, 8 bytes per rank. Throws mpi::AgreedError when one is
    /// negative, all together are more than 64 bits can number, or `table` differs.
    Numbering(const mpi::Communicator& comm, std::int64_t owned, bool table = false);

    /// Not collective. What `rank` of `ranks` knows of one that was made before: its `owned` range,
    /// the rows of all (`extent`), and the `owners`, if it knows them. Throws std::invalid_argument
    /// when the values do not fit each other.
    Numbering(int rank, int ranks, layout::IndexRange owned, std::int64_t extent,
              std::optional<layout::Distribution> owners);

    /// Throws std::invalid_argument unless this was made by this rank, among as many.
    void check_made_for(const mpi::Communicator& comm) const;

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int ranks() const noexcept { return ranks_; }
    [[nodiscard]] layout::IndexRange owned() const noexcept { return owned_; }
    /// Rows of all ranks together.
    [[nodiscard]] std::int64_t extent() const noexcept { return extent_; }
    /// The owners of all rows, if each rank knows them: by formula if the numbers of rows are those
    /// of Distribution::even, else from the table, if it is kept. The same on every rank.
    [[nodiscard]] const std::optional<layout::Distribution>& owners() const noexcept {
        return owners_;
    }
    /// Who owns which row, as far as this rank knows, in words that differ where owners do.
    [[nodiscard]] std::string words() const;

    /// Not collective. The global index of a row, and the row of a global index: of any rank where
    /// there are owners(), else of this rank. Throws std::invalid_argument when out of range.
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
