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
    /// - the algorithm that the file `choices` gives, if all blocks have one length
    /// - on-node-direct, if all ranks share memory and send from arrays that transrank has
    ///   allocated
    /// - on-node-direct, if all ranks share memory and each has its own core, unless `mpi` was
    ///   measured to be clearly faster for blocks of about this length
    /// - pairwise, if MPI counts in 32 bits and a block or an offset has 2 GiB or more
    /// - mpi: MPI's own algorithm
    std::string algorithm = "auto";
    /// For `auto`: the path of a file of choices (collective/choices.hpp), read by rank 0. If
    /// empty, the environment variable TRANSRANK_ALLTOALL_CHOICES of rank 0, if set, gives the
    /// path.
    std::string choices = {};  // NOLINT(readability-redundant-member-init)
    int radix = 2;             ///< for bruck: the base of the digits of distances between ranks
    int window = 8;            ///< for linear-bounded: how many peers at a time
    int leaders = 2;           ///< for node-leaders: how many leaders on each node
    /// For the node-aware algorithms: how many consecutive ranks share a node. If 0, the number is
    /// found automatically.
    int ranks_per_node = 0;
    /// For the torus-aware algorithms: the lengths of the torus that the ranks fill, the first
    /// varying fastest. If empty, the factors of the number of ranks that are nearest to each
    /// other.
    std::vector<int> torus = {};  // NOLINT(readability-redundant-member-init)
    /// Whether each start is given its arrays. They must be in place (one array) if, and only if,
    /// the bound arrays are. MPI uses these arrays directly; peers of a node do not access them.
    bool any_memory = false;
};

/// An alltoall bound to its arrays, which can be started again and again, as with
/// MPI_Alltoall_init, but with an algorithm of choice. The arrays remain the caller's and must not
/// move. Whatever the algorithm, it is an exchange: exchange::Exchange documents start, test, wait
/// and errors.
///
/// With the algorithm `mpi`, run() calls MPI_Alltoall itself, for which MPI libraries are tuned.
/// All ranks must then make the same call: either all run, or all start.
///
/// After a BrokenExchange, or after an Alltoall in progress has been destroyed, MPI and peers may
/// still be using the arrays. `keep_alive`, which owns the arrays, is then kept forever if MPI
/// needs them; callers that leave it empty must keep the arrays until MPI_Finalize.
class Alltoall final : public exchange::Exchange {
public:
    /// Collective. Binds an alltoall of blocks of `block_bytes` bytes: each rank sends one block of
    /// `send` to every rank, and gets one from every rank in `receive`, in rank order. It is in
    /// place if `send` and `receive` are the same. Throws mpi::AgreedError on every rank, before
    /// anything has moved, if block lengths or options differ, different arrays overlap, or the
    /// algorithm is unknown or cannot be used.
    Alltoall(MPI_Comm comm, const void* send, void* receive, std::int64_t block_bytes,
             const AlltoallOptions& options = {},
             const std::shared_ptr<void>& keep_alive = nullptr);

    /// Collective. Binds an alltoall of blocks of any lengths, as MPI_Alltoallv does: `blocks`
    /// gives the offsets and lengths of the blocks in `send` and `receive`, in bytes. It cannot be
    /// in place. Throws mpi::AgreedError as for blocks of one length, and also if a block is not as
    /// long as the receiver expects.
    Alltoall(MPI_Comm comm, const void* send, void* receive, const Blocks& blocks,
             const AlltoallOptions& options = {},
             const std::shared_ptr<void>& keep_alive = nullptr);

    /// The name of the algorithm in use.
    [[nodiscard]] std::string_view algorithm() const noexcept { return algorithm_; }

    /// Not collective. Starts the alltoall with the arrays `send` and `receive`, which hold all
    /// blocks. Without AlltoallOptions::any_memory, they must be the bound arrays. `keep_alive`
    /// owns the arrays, and is kept until the next start. Throws as Exchange::start_with. If a
    /// field is given instead of the arrays, its units may have any length.
    void start_with(const void* send, void* receive,
                    const std::shared_ptr<void>& keep_alive = nullptr);
    using Exchange::start_with;
    /// Starts the alltoall with the arrays `send` and `receive`, owned by `keep_alive`, and waits.
    /// Throws std::invalid_argument and transport::BrokenExchange. With the algorithm `mpi`, this
    /// call is MPI_Alltoall itself.
    void run_with(const void* send, void* receive,
                  const std::shared_ptr<void>& keep_alive = nullptr);
    using Exchange::run_with;

private:
    struct Making;
    Alltoall(MPI_Comm comm, const Making& making);

    std::string_view algorithm_;
    copy::Field extents_;  ///< without addresses
};

/// Collective. Performs one alltoall: makes an Alltoall, runs it and destroys it. Each rank sends
/// one block of `block_bytes` bytes of `send` to every rank, and gets one from every rank in
/// `receive`, in rank order. Because the ranks compare arguments in each call, a repeated alltoall
/// costs less with an Alltoall that is kept.
void alltoall(MPI_Comm comm, const void* send, void* receive, std::int64_t block_bytes,
              const AlltoallOptions& options = {},
              const std::shared_ptr<void>& keep_alive = nullptr);

}  // namespace transrank::collective
