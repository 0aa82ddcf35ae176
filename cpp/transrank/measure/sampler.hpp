// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "transrank/measure/case.hpp"
#include "transrank/measure/operation.hpp"
#include "transrank/measure/samples.hpp"
#include "transrank/measure/stopping.hpp"
#include "transrank/measure/synchronisation.hpp"
#include "transrank/measure/workspace.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::measure {

/// One case of the group under way, with all that it has gathered.
struct CaseRun {
    Case point;
    std::unique_ptr<Operation> operation;
    const Stopping* stopping = nullptr;

    std::int64_t batch = 1;  ///< repetitions per sample
    std::int64_t slice = 1;  ///< samples per round
    std::int64_t operations = 0;
    double measuring_seconds = 0;
    std::uint64_t verified_bytes = 0;
    Samples own;
    ReducedSamples reduced;  ///< on rank 0
    StopReason stop = StopReason::go_on;
    std::string failure;  ///< not empty on rank 0: a wrong payload, and where
};

struct SamplerSettings {
    std::uint64_t seed = 1;
    /// Budget of a case in this launch.
    double max_seconds = 1;
    /// Shortest batch: long against the clock's resolution and cost.
    double least_batch_seconds = 40e-6;
};

/// Takes the samples of a group of cases: in rounds, in each round all cases that are not finished,
/// in random order, in each case a slice of samples. All ranks of the communicator take the same
/// decisions; rank 0 makes them.
class Sampler {
public:
    /// Called on all ranks, with the finished case.
    using Finished = std::function<void(CaseRun&)>;
    /// Called on all ranks after each slice of samples.
    using Advanced = std::function<void(const CaseRun& run, int round)>;

    /// Collective. The references are kept.
    Sampler(const mpi::Communicator& comm, Synchronisation& synchronisation,
            const Workspace& workspace, const SamplerSettings& settings);

    /// Collective. Measures every case of `group` until its stopping rule is content.
    void measure(std::vector<CaseRun>& group, const Finished& finished, const Advanced& advanced);

private:
    void calibrate(CaseRun& run);
    double trial(CaseRun& run, std::int64_t repetitions);
    void take_slice(CaseRun& run, int round);
    void take_sample(CaseRun& run, std::uint8_t flag);
    void reduce(CaseRun& run, std::size_t first);
    void agree_on_failure(CaseRun& run, const std::string& failure);
    void decide(std::vector<CaseRun*>& active, int round);
    [[nodiscard]] std::int64_t most_repetitions(const CaseRun& run) const;

    const mpi::Communicator& comm_;
    mpi::Communicator node_;
    Synchronisation& synchronisation_;
    const Workspace& workspace_;
    SamplerSettings settings_;
    std::uint64_t stamp_;
};

}  // namespace transrank::measure
