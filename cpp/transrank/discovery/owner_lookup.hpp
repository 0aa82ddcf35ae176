// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transrank/layout/index_range.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/delivery.hpp"

namespace transrank::discovery {

/// The rows of one rank among those of all ranks.
struct OwnerRange {
    std::int64_t owner = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

/// Collective. Who owns rows, ascending: of all that this rank needs to know, to find the owners of
/// the rows with these global `indices`, which must be in [0, extent). `owned` are this rank's own.
/// Throws mpi::AgreedError when the ranks' own rows are not all rows, in the order of the ranks.
///
/// Every rank keeps a directory of an even share of [0, extent). In one delivery owners register
/// their rows with it, and ranks that need some of the share say which; a second one brings the
/// answers: the owners of what was asked, whoever else has rows there.
[[nodiscard]] std::vector<OwnerRange> look_up_owners(const mpi::Communicator& comm,
                                                     const layout::IndexRange& owned,
                                                     std::int64_t extent,
                                                     std::span<const std::int64_t> indices);

// Its local work, between the deliveries.

[[nodiscard]] std::vector<mpi::Message> write_questions(int ranks, const layout::IndexRange& owned,
                                                        std::int64_t extent,
                                                        std::span<const std::int64_t> indices);
[[nodiscard]] std::vector<mpi::Message> answer_questions(const layout::IndexRange& share,
                                                         std::span<const mpi::Message> questions);
[[nodiscard]] std::vector<OwnerRange> read_answers(std::span<const mpi::Message> answers);

}  // namespace transrank::discovery
