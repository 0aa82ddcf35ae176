// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "lab/study/locality/operation.hpp"

namespace transrank::lab::study::locality {

/// Loads in a repetition of the chase.
inline constexpr int hops_per_repetition = 1 << 14;

/// One way to use memory.
struct Kernel {
    std::string_view name;
    /// Doubles that it works on where matrices have `order` rows.
    std::size_t (*doubles)(std::int64_t order);
    /// Bytes that one operation counts; 0 where a rate says nothing.
    double (*bytes_counted)(std::int64_t order);
    int operations_per_repetition;
    /// Collective. Throws mpi::AgreedError.
    std::unique_ptr<PlacedOperation> (*make)(const mpi::Communicator& comm, const Seat& seat,
                                             const std::string& arrangement, std::int64_t order);
};

/// dgemm: the product of two matrices, by the BLAS of the machine. triad: STREAM's, on three
/// matrices; counts 24 bytes per element. latency: one load after another, each from where the one
/// before says, over the lines of one matrix in random order.
[[nodiscard]] std::span<const Kernel> kernels();

}  // namespace transrank::lab::study::locality
