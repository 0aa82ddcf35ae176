// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <string_view>

#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::study::alltoall_algorithms {

/// An algorithm that this MPI library can be made to use for MPI_Alltoall.
struct Forcible {
    std::string_view name;  ///< `mpi-` and the library's word
    int value;              ///< of the control variable; negative: as it was
    int most_ranks = 0;     ///< 0: any number
};

/// The library's own choice.
inline constexpr Forcible library_default{.name = "mpi", .value = -1};

/// Empty where the library is not known.
[[nodiscard]] std::span<const Forcible> forcible();

/// A communicator on which MPI_Alltoall runs by that algorithm.
class Forced {
public:
    Forced() = default;
    Forced(const Forced&) = delete;
    Forced& operator=(const Forced&) = delete;
    virtual ~Forced() = default;

    [[nodiscard]] virtual MPI_Comm comm() const = 0;
    /// To be called before calls on it that are timed. Not collective.
    virtual void choose() = 0;
};

/// Collective. Throws mpi::AgreedError where the library has no such control variable.
[[nodiscard]] std::unique_ptr<Forced> force(const mpi::Communicator& comm,
                                            const Forcible& algorithm);

}  // namespace transrank::lab::study::alltoall_algorithms
