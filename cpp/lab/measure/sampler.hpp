// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/machine/clock.hpp"
#include "lab/measure/case.hpp"
#include "lab/measure/core_watch.hpp"
#include "lab/measure/operation.hpp"
#include "lab/measure/samples.hpp"
#include "lab/measure/steal_watch.hpp"
#include "lab/measure/stopping.hpp"
#include "lab/measure/synchronisation.hpp"
#include "lab/measure/turns.hpp"
#include "lab/measure/workspace.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::measure {

/// One case of the group under way, with all that it has gathered.
struct CaseRun {
    Case point;
    std::unique_ptr<Operation> operation;
    const Stopping* stopping = nullptr;

    std::int64_t batch = 1;  ///< repetitions per sample
    std::int64_t slice = 1;  ///< samples in the next round
    bool warmed = false;     ///< finding the batch has warmed it up: its first round counts
    std::int64_t operations = 0;
    double measuring_seconds = 0;
    double sampling_seconds = 0;  ///< what the samples took of it, with all that each of them needs
    double waited_seconds = 0;    ///< how long this rank, while they were taken, had no core
    std::uint64_t verified_bytes = 0;
    Samples own;
    ReducedSamples reduced;  ///< on rank 0
    StopReason stop = StopReason::go_on;
    std::string failure;  ///< not empty on rank 0: a wrong payload, and where
};

inline constexpr double usual_batch_seconds = 40e-6;

struct SamplerSettings {
    std::uint64_t seed = 1;
    /// Budget of a case in this launch.
    double max_seconds = 1;
    /// Shortest batch: see least_batch_seconds.
    double least_batch_seconds = usual_batch_seconds;
    /// The source of what a hypervisor has taken.
    StealSource steal = system_steal();
};

/// Collective. The shortest batch that every rank's clock can time: two hundred times what it
/// resolves and what a reading costs, and never below usual_batch_seconds.
[[nodiscard]] double least_batch_seconds(const mpi::Communicator& comm,
                                         const machine::ClockQuality& clock);

/// What the sampler reports while it measures; called on all ranks.
struct Listener {
    /// How long a batch must be is known.
    std::function<void(const CaseRun& run)> calibrated;
    /// A slice of samples was taken. Whether they count when it is judged if there are enough; rank
    /// 0's answer holds.
    std::function<bool(const CaseRun& run, int round)> advanced;
    std::function<void(CaseRun& run)> finished;
};

/// Takes the samples of a group of cases: in rounds, in each round all cases that are not finished,
/// in random order, in each case a slice of samples. All ranks of the communicator take the same
/// decisions; rank 0 makes them.
class Sampler {
public:
    /// Collective. The references are kept.
    Sampler(const mpi::Communicator& comm, Synchronisation& synchronisation,
            const Workspace& workspace, const SamplerSettings& settings);

    /// Collective. Measures every case of `group` until its stopping rule is satisfied.
    void measure(std::vector<CaseRun>& group, const Listener& listener);

private:
    struct Trial {
        double seconds;       ///< as timed
        double wall_seconds;  ///< with the common start, and all turns
    };
    void calibrate(CaseRun& run);
    Trial try_batch(CaseRun& run, std::int64_t repetitions);
    std::optional<double> time(CaseRun& run, std::int64_t repetitions);
    void ready_sample(CaseRun& run);
    void take_slice(CaseRun& run, int round);
    void take_sample(CaseRun& run, std::uint8_t flag);
    void reduce(CaseRun& run, std::size_t first);
    void agree_on_failure(CaseRun& run, const std::string& failure);
    void decide(std::vector<CaseRun*>& active, int round);
    [[nodiscard]] std::int64_t most_repetitions(const CaseRun& run) const;
    [[nodiscard]] bool renews(const CaseRun& run) const;
    [[nodiscard]] double round_seconds() const;

    const mpi::Communicator& comm_;
    mpi::Communicator node_;
    Turns turns_;
    StealWatch steal_;
    CoreWatch core_;
    Synchronisation& synchronisation_;
    const Workspace& workspace_;
    SamplerSettings settings_;
    std::uint64_t stamp_;
};

}  // namespace transrank::lab::measure
