// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "transrank/memory/shared_segment.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::runner {

/// How long a cache line takes between the cores of rank 0 and of the next rank of its node,
/// whatever the MPI does. A hypervisor moves virtual CPUs between the cores of its host, and
/// everything that crosses between ranks becomes slower or faster by that, for seconds or minutes
/// at a time.
class CoreLatency {
public:
    /// Collective. Measures nothing where rank 0 is alone on its node, cannot share memory with the
    /// next rank, or ranks have no core each.
    explicit CoreLatency(const mpi::Communicator& world);

    /// Whether the first `ranks` ranks can measure it together.
    [[nodiscard]] bool measurable_by(int ranks) const noexcept {
        return partner_ > 0 && partner_ < ranks;
    }

    /// To be called by rank 0 and its partner at the same time; other ranks do nothing. Seconds for
    /// one way, on rank 0; none elsewhere, when the other one did not come in time, and when either
    /// lost its core meanwhile.
    std::optional<double> measure();

private:
    struct Line;
    [[nodiscard]] Line& line(std::uint64_t number) const;
    std::optional<double> ask();
    void answer();

    int rank_;
    int partner_ = -1;
    std::unique_ptr<memory::SharedSegment> own_;
    std::shared_ptr<memory::MappedSegment> mapping_;
    Line* lines_ = nullptr;
    std::uint64_t sent_ = 0;  ///< number of the last question
};

}  // namespace transrank::lab::runner
