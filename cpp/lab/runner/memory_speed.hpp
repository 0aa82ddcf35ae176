// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::runner {

/// How fast the ranks copy memory that does not fit the caches of their cores. Other programs that
/// use the same cache or memory make it slower, those of other virtual machines on the host, too.
class MemorySpeed {
public:
    /// Operations that touch at least this much on a rank depend on it.
    static constexpr std::int64_t least_bytes = 1 << 20;

    /// Collective, where cores are measurable (CoreSpeed). Seconds of some copies on the slowest
    /// rank, all ranks at once, on rank 0; unspecified elsewhere. Evicts from the caches whatever
    /// was in them. Allocates twice `copied_bytes` at the first call.
    [[nodiscard]] std::vector<double> copy_seconds(const mpi::Communicator& comm);

private:
    static constexpr std::size_t copied_bytes = 4U << 20U;
    static constexpr int copies = 3;

    std::unique_ptr<std::byte[]> from_;
    std::unique_ptr<std::byte[]> to_;
};

}  // namespace transrank::lab::runner
