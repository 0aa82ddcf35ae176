// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transrank/mpi/communicator.hpp"
#include "transrank/schedule/problem.hpp"

namespace transrank::collective {

/// The algorithms that `auto` takes for which blocks, found by measuring: a text file, as
/// `transrank tune --for transrank` writes it.
///
///     transrank alltoall choices 1
///     mpi openmpi              # or mpich, other: the MPI that it was measured with
///     ranks 4                  # of the communicators that it is for
///     ranks-per-node 2         # of them on each node
///     rules 2
///     shared 8 4096 bruck      # blocks of 8 to 4096 bytes, sent from arrays of transrank's
///     private 8 64 linear      # the same, sent from other arrays
///     end
///
/// Text after # is a comment. The file says nothing about other communicators and lengths.
class Choices {
public:
    /// Throws std::invalid_argument that names `path` and the line that is wrong.
    [[nodiscard]] static Choices parse(const std::string& path, const std::string& text);

    /// The algorithm for blocks of one length; empty where the file says nothing.
    [[nodiscard]] std::string_view algorithm(const schedule::Problem& problem, bool shared_arrays,
                                             std::int64_t block_bytes) const;

private:
    struct Rule {
        bool shared;
        std::int64_t first;
        std::int64_t last;
        std::string algorithm;
    };

    int ranks_ = 0;
    int ranks_per_node_ = 0;
    std::vector<Rule> rules_;
};

/// The environment variable that names the file where the options do not.
inline constexpr const char* choices_variable = "TRANSRANK_ALLTOALL_CHOICES";

/// Collective. Reads the file at `path` or, when that is empty, the one that the environment of
/// rank 0 names; on rank 0 alone. Nothing when there is no name. Throws mpi::AgreedError on every
/// rank for a file that cannot be read, is not such a file, or is for another MPI.
[[nodiscard]] std::optional<Choices> find_choices(const mpi::Communicator& comm,
                                                  const std::string& path);

}  // namespace transrank::collective
