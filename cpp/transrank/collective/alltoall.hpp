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

/// The same on every rank.
struct AlltoallOptions {
    /// A name of `methods()`, or `auto`, which is the first of these that applies:
    /// - what `choices` says, for blocks of one length
    /// - on-node-direct, where all ranks share memory and send from arrays that transrank has
    ///   allocated
    /// - on-node-direct, where all ranks share memory and each has a core, unless MPI's own was
    ///   measured to be clearly faster for blocks of about this length
    /// - pairwise, where the MPI counts in 32 bits and a block or an offset has 2 GiB
    /// - MPI's own
    std::string algorithm = "auto";
    /// For `auto`: the path of a file of choices (collective/choices.hpp), read by rank 0; empty:
    /// what TRANSRANK_ALLTOALL_CHOICES says there, if it is set.
    std::string choices = {};  // NOLINT(readability-redundant-member-init)
    int radix = 2;             ///< of bruck
    int window = 8;            ///< of linear-bounded
    int leaders = 2;           ///< of node-leaders
    /// Consecutive ranks that share a node, for the node-aware algorithms; 0: found out.
    int ranks_per_node = 0;
    /// Lengths that the ranks fill, the first varying fastest, for the torus-aware algorithms;
    /// empty: the factors of the number of ranks that are nearest to each other.
    std::vector<int> torus = {};  // NOLINT(readability-redundant-member-init)
    /// Whether each start is given its arrays, which are in place if those bound are. MPI uses them
    /// where they are; peers of a node do not reach into them.
    bool any_memory = false;
};

/// An alltoall bound to its arrays, to be started again and again: what MPI_Alltoall_init makes, by
/// an algorithm of choice. The arrays stay the caller's and where they are. It is an exchange,
/// whatever the algorithm: its start, test, wait and errors are documented there.
///
/// By the algorithm `mpi`, run() is MPI_Alltoall itself, which is what MPI libraries are tuned for.
///
/// After a BrokenExchange, or when it was destroyed under way, MPI and peers may still be using the
/// arrays: `keep_alive` is then kept for ever where MPI needs it; callers that leave it empty
/// must keep the arrays until MPI_Finalize.
class Alltoall final : public exchange::Exchange {
public:
    /// Collective. Blocks of `block_bytes` for every rank, in rank order, and from every rank; in
    /// place when `send` and `receive` are the same. Throws mpi::AgreedError on every rank, before
    /// anything has moved: different lengths or options, arrays that overlap otherwise, an
    /// algorithm that is unknown or cannot be used.
    Alltoall(MPI_Comm comm, const void* send, void* receive, std::int64_t block_bytes,
             const AlltoallOptions& options = {},
             const std::shared_ptr<void>& keep_alive = nullptr);

    /// Collective. `blocks` of any lengths, in bytes, as MPI_Alltoallv. Not in place. Throws
    /// mpi::AgreedError also when a block is not as long as the receiver expects.
    Alltoall(MPI_Comm comm, const void* send, void* receive, const Blocks& blocks,
             const AlltoallOptions& options = {},
             const std::shared_ptr<void>& keep_alive = nullptr);

    /// The algorithm in use.
    [[nodiscard]] std::string_view algorithm() const noexcept { return algorithm_; }

    /// Not collective. Starts with these arrays, which hold all blocks; for an alltoall of any
    /// memory. `keep_alive` owns them, and is kept until the next start. Throws as
    /// Exchange::start_with. As a field the arrays may have units of any length.
    void start_with(const void* send, void* receive,
                    const std::shared_ptr<void>& keep_alive = nullptr);
    using Exchange::start_with;
    /// start_with, and wait: throws std::invalid_argument and transport::BrokenExchange. By the
    /// algorithm `mpi` it is MPI_Alltoall itself.
    void run_with(const void* send, void* receive,
                  const std::shared_ptr<void>& keep_alive = nullptr);
    using Exchange::run_with;

private:
    struct Making;
    Alltoall(MPI_Comm comm, const Making& making);

    std::string_view algorithm_;
    copy::Field extents_;  ///< without addresses
};

/// Collective. One alltoall; the same as an Alltoall made, run and destroyed: blocks of
/// `block_bytes` for every rank from `send`, and from every rank into `receive`, in rank order. An
/// alltoall that is repeated costs less with an Alltoall that is kept: the ranks agree here each
/// time.
void alltoall(MPI_Comm comm, const void* send, void* receive, std::int64_t block_bytes,
              const AlltoallOptions& options = {},
              const std::shared_ptr<void>& keep_alive = nullptr);

}  // namespace transrank::collective
