// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/neighbor_exchange.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::mpi {

struct NeighborExchange::Side {
    std::vector<int> ranks;
    std::vector<Count> counts;
    std::vector<Displacement> displacements;
    Buffer bytes;

    explicit Side(std::span<const Block> blocks) {
        std::int64_t total = 0;
        for (const auto& block : blocks) {
            ranks.push_back(block.rank);
            counts.push_back(static_cast<Count>(block.bytes));
            displacements.push_back(static_cast<Displacement>(total));
            total += block.bytes;
        }
        if (total > largest_count) {
            throw std::length_error("a neighborhood collective of " + std::to_string(total) +
                                    " bytes; this MPI counts to " + std::to_string(largest_count));
        }
        bytes = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(total));
    }
};

/// All that MPI looks at while the collective is under way.
struct NeighborExchange::Memory {
    Side in;
    Side out;
};

NeighborExchange::NeighborExchange(std::span<const Block> incoming, std::span<const Block> outgoing)
    : memory_(std::make_shared<Memory>(Side(incoming), Side(outgoing))) {}

std::byte* NeighborExchange::incoming(std::size_t i) const {
    return memory_->in.bytes.get() + memory_->in.displacements[i];
}

std::byte* NeighborExchange::outgoing(std::size_t i) const {
    return memory_->out.bytes.get() + memory_->out.displacements[i];
}

std::span<const int> NeighborExchange::sources() const {
    return memory_->in.ranks;
}

std::span<const int> NeighborExchange::destinations() const {
    return memory_->out.ranks;
}

void NeighborExchange::connect(const Communicator& graph) {
    graph_ = &graph;
    [[maybe_unused]] auto& [in, out] = *memory_;
#if MPI_VERSION >= 4
    check(MPI_Neighbor_alltoallv_init_c(out.bytes.get(), out.counts.data(),
                                        out.displacements.data(), MPI_BYTE, in.bytes.get(),
                                        in.counts.data(), in.displacements.data(), MPI_BYTE,
                                        graph_->handle(), MPI_INFO_NULL, &request_),
          "MPI_Neighbor_alltoallv_init_c");
#elif defined(TRANSRANK_HAS_NEIGHBOR_ALLTOALLV_INIT)
    check(MPI_Neighbor_alltoallv_init(out.bytes.get(), out.counts.data(), out.displacements.data(),
                                      MPI_BYTE, in.bytes.get(), in.counts.data(),
                                      in.displacements.data(), MPI_BYTE, graph_->handle(),
                                      MPI_INFO_NULL, &request_),
          "MPI_Neighbor_alltoallv_init");
#endif
}

void NeighborExchange::start() {
#if MPI_VERSION >= 4 || defined(TRANSRANK_HAS_NEIGHBOR_ALLTOALLV_INIT)
    check(MPI_Start(&request_), "MPI_Start");
#else
    auto& [in, out] = *memory_;
    check(MPI_Ineighbor_alltoallv(out.bytes.get(), out.counts.data(), out.displacements.data(),
                                  MPI_BYTE, in.bytes.get(), in.counts.data(),
                                  in.displacements.data(), MPI_BYTE, graph_->handle(), &request_),
          "MPI_Ineighbor_alltoallv");
#endif
    active_ = true;
}

bool NeighborExchange::test() {
    if (active_) {
        int done = 0;
        check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
        active_ = done == 0;
    }
    return !active_;
}

NeighborExchange::~NeighborExchange() {
    if (!is_usable()) {
        return;
    }
    if (active_) {
        // A collective can be neither cancelled nor freed before it is over.
        keep_for_ever(std::move(memory_));
    } else if (request_ != MPI_REQUEST_NULL) {
        MPI_Request_free(&request_);
    }
}

}  // namespace transrank::mpi
