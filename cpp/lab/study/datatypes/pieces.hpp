// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/study/baseline/mpi_datatype.hpp"

namespace transrank::lab::study::datatypes {

[[nodiscard]] std::vector<std::string> layout_names();

/// Pieces of equal length that lie apart in an array of doubles. Throws std::out_of_range for an
/// unknown layout.
///
/// `vector`: at a constant distance, twice their length. `indexed`: at irregular distances of the
/// same mean. `subarray`: rows of a block of a three-dimensional array that is twice as long in the
/// last two dimensions.
class Pieces {
public:
    Pieces(std::string_view layout, std::int64_t count, std::int64_t length);

    /// From the first double of the first piece to the end of the last one.
    [[nodiscard]] std::int64_t extent() const noexcept { return offsets_.back() + length_; }

    /// Copies piece by piece, in the loops that a program without MPI's datatypes has.
    void pack(const double* array, double* packed) const;
    void unpack(const double* packed, double* array) const;

    /// The same pieces by MPI's constructor of the layout's name.
    [[nodiscard]] baseline::Datatype datatype() const;

private:
    template <class Visit>
    void each(const Visit& visit) const;

    std::string layout_;
    int length_;
    int rows_;    ///< pieces of a plane of the subarray
    int planes_;  ///< 1 but for the subarray
    std::vector<int> offsets_;
};

}  // namespace transrank::lab::study::datatypes
