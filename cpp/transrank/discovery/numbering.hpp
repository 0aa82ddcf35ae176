// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "transrank/layout/distribution.hpp"
#include "transrank/layout/index_range.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::discovery {

/// The rows of all ranks numbered through, in the order of the ranks, as far as one rank needs to
/// know: its own range and how many there are. Of constant size also when ranks own different
/// numbers of rows: then owners are looked up in a distributed directory.
class Numbering {
public:
    /// Collective. `owned` is this rank's number of rows. Throws mpi::AgreedError when one is
    /// negative or all together are more than 64 bits can number.
    Numbering(const mpi::Communicator& comm, std::int64_t owned);

    [[nodiscard]] layout::IndexRange owned() const noexcept { return owned_; }
    /// Rows of all ranks together.
    [[nodiscard]] std::int64_t extent() const noexcept { return extent_; }
    /// Who owns which row, by formula: there is one when the numbers of rows are those of
    /// Distribution::even. The same on every rank.
    [[nodiscard]] const std::optional<layout::Distribution>& formula() const noexcept {
        return formula_;
    }

private:
    layout::IndexRange owned_;
    std::int64_t extent_ = 0;
    std::optional<layout::Distribution> formula_;
};

}  // namespace transrank::discovery
