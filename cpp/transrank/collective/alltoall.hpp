// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transrank/collective/plan.hpp"
#include "transrank/exchange/exchange.hpp"

namespace transrank::collective {

/// Options of an alltoall, the same on every rank.
struct AlltoallOptions {
    /// The name of an algorithm, one of `methods()`, or `auto`, which chooses the first of these
    /// that applies:
    /// - what the file `choices` says, for blocks of one length
    /// - on-node-direct, if all ranks share memory and send from arrays that transrank has
    ///   allocated
    /// - on-node-direct, if all ranks share memory and each has its own core, unless `mpi` was
    ///   measured to be clearly faster for blocks of about this length
    /// - pairwise, if the MPI counts in 32 bits and a block or an offset has 2 GiB or more
    /// - mpi: MPI's own algorithm
    std::string algorithm = "auto";
    /// For `auto`: the path of a file of choices (collective/choices.hpp), read by rank 0. If
    /// empty, rank 0's environment variable TRANSRANK_ALLTOALL_CHOICES names the file, if it is
    /// set.
    std::string choices = {};  // NOLINT(readability-redundant-member-init)
    int radix = 2;             ///< of bruck: base of a distance's digits
    int window = 8;            ///< of linear-bounded: peers at once
    int leaders = 2;           ///< of node-leaders: leaders on each node
    /// Consecutive ranks that share a node, for the node-aware algorithms; 0: found automatically.
    int ranks_per_node = 0;
    /// Lengths of the torus that the ranks fill, the first varying fastest, for the torus-aware
    /// algorithms. If empty, the factors of the number of ranks that are nearest to each other.
    std::vector<int> torus = {};  // NOLINT(readability-redundant-member-init)
    /// Whether each start is given its arrays, which must be in place if, and only if, the bound
    /// arrays are. MPI uses these arrays directly; peers of a node do not access them.
    bool any_memory = false;
};

/// An alltoall bound to its arrays, to be started again and again, like what MPI_Alltoall_init
/// makes, but by an algorithm of choice. The arrays remain the caller's and must not move. It is an
/// exchange, whatever the algorithm: exchange::Exchange documents start, test, wait and errors.
///
/// With the algorithm `mpi`, run() is MPI_Alltoall itself, for which MPI libraries are tuned.
///
/// After a BrokenExchange, or when an Alltoall was destroyed in progress, MPI and peers may still
/// be using the arrays. `keep_alive`, which owns them, is then kept for ever where MPI needs it;
/// callers that leave it empty must keep the arrays until MPI_Finalize.
class Alltoall final : public exchange::Exchange {
public:
    /// Collective. Binds an alltoall of blocks of `block_bytes`: one from `send` to every rank, and
    /// one from every rank into `receive`, in rank order; in place when `send` and `receive` are
    /// the same. Throws mpi::AgreedError on every rank, before anything has moved, when lengths or
    /// options differ, arrays overlap otherwise, or the algorithm is unknown or cannot be used.
    Alltoall(MPI_Comm comm, const void* send, void* receive, std::int64_t block_bytes,
             const AlltoallOptions& options = {},
             const std::shared_ptr<void>& keep_alive = nullptr);

    /// Collective. Binds an alltoall as MPI_Alltoallv: `blocks` gives the offsets and lengths of
    /// the blocks in `send` and `receive`, in bytes. It cannot be in place. Throws mpi::AgreedError
    /// as for blocks of one length, and also when a block is not as long as the receiver expects.
    Alltoall(MPI_Comm comm, const void* send, void* receive, const Blocks& blocks,
             const AlltoallOptions& options = {},
             const std::shared_ptr<void>& keep_alive = nullptr);

    /// The name of the algorithm in use.
    [[nodiscard]] std::string_view algorithm() const noexcept { return algorithm_; }

    /// Not collective. Starts with the arrays `send` and `receive`, which hold all blocks. Without
    /// AlltoallOptions::any_memory, they must be the bound arrays. `keep_alive` owns them, and is
    /// kept until the next start. Throws as Exchange::start_with. If a field is given instead, its
    /// units may have any length.
    void start_with(const void* send, void* receive,
                    const std::shared_ptr<void>& keep_alive = nullptr);
    using Exchange::start_with;
    /// Starts with the arrays `send` and `receive`, owned by `keep_alive`, and waits: throws
    /// std::invalid_argument and transport::BrokenExchange. With the algorithm `mpi`, this call is
    /// MPI_Alltoall itself.
    void run_with(const void* send, void* receive,
                  const std::shared_ptr<void>& keep_alive = nullptr);
    using Exchange::run_with;

private:
    struct Making;
    Alltoall(MPI_Comm comm, const Making& making);

    std::string_view algorithm_;
    copy::Field extents_;  ///< without addresses
};

/// Collective. Performs one alltoall, as an Alltoall that is made, run and destroyed: a block of
/// `block_bytes` from `send` to every rank, and from every rank into `receive`, in rank order.
/// Because the ranks agree in each call, a repeated alltoall costs less with an Alltoall that is
/// kept.
void alltoall(MPI_Comm comm, const void* send, void* receive, std::int64_t block_bytes,
              const AlltoallOptions& options = {},
              const std::shared_ptr<void>& keep_alive = nullptr);

}  // namespace transrank::collective
