// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/counts.hpp"

namespace transrank::mpi {

/// A neighborhood collective of packed bytes that is started again and again: persistent
/// (MPI_Neighbor_alltoallv_init) where the MPI has that, else MPI_Ineighbor_alltoallv each time.
class NeighborExchange {
public:
    /// Bytes for or from one neighbor.
    struct Block {
        int rank;
        std::int64_t bytes;
    };

    /// Not collective. Throws std::length_error when MPI cannot count that many bytes.
    NeighborExchange(std::span<const Block> incoming, std::span<const Block> outgoing);
    NeighborExchange(const NeighborExchange&) = delete;
    NeighborExchange& operator=(const NeighborExchange&) = delete;
    /// Not collective. What is under way is left to MPI.
    ~NeighborExchange();

    /// Collective over `graph`, a communicator of these neighbors (Communicator::adjacent), which
    /// must live as long as this. To be called once.
    void connect(const Communicator& graph);

    [[nodiscard]] std::span<const int> sources() const;
    [[nodiscard]] std::span<const int> destinations() const;

    /// Where the bytes of the i-th block lie.
    [[nodiscard]] std::byte* incoming(std::size_t i) const;
    [[nodiscard]] std::byte* outgoing(std::size_t i) const;

    void start();
    /// Whether what was started is over; true when nothing is under way.
    bool test();

private:
    struct Side;
    struct Memory;
    std::shared_ptr<Memory> memory_;
    const Communicator* graph_ = nullptr;  ///< none before connect
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool active_ = false;
};

}  // namespace transrank::mpi
