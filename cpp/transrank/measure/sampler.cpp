// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/measure/sampler.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <random>

#include "transrank/machine/clock.hpp"
#include "transrank/machine/process.hpp"
#include "transrank/measure/payload.hpp"
#include "transrank/measure/timing.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::measure {
namespace {

// A case's budget is spent in about so many rounds, so that drift within a launch shows.
constexpr double rounds_per_budget = 8;
// Four rounds of so many decide about the median of all but the noisiest cases.
constexpr std::int64_t most_samples_per_slice = 64;
constexpr std::int64_t most_batch = std::int64_t{1} << 24;
// A case that must reach a number of operations may overdraw its budget by this factor.
constexpr double most_overdraft = 20;

// std::shuffle differs between standard libraries; ranks may run different ones.
void shuffle(std::vector<CaseRun*>& order, std::mt19937_64& random) {
    for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1], order[random() % i]);
    }
}

double slowest_rank(double seconds, const mpi::Communicator& comm) {
    double slowest = 0;
    mpi::check(MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm.handle()),
               "MPI_Allreduce");
    return slowest;
}

std::int64_t slot_bytes(const Case& point) {
    return std::max(point.send_bytes, point.receive_bytes);
}

}  // namespace

Sampler::Sampler(const mpi::Communicator& comm, Synchronisation& synchronisation,
                 const Workspace& workspace, const SamplerSettings& settings)
    : comm_(comm),
      node_(comm.split_node()),
      synchronisation_(synchronisation),
      workspace_(workspace),
      settings_(settings),
      stamp_(settings.seed << 20U) {}

std::int64_t Sampler::most_repetitions(const CaseRun& run) const {
    if (workspace_.mode() == CacheMode::warm) {
        return most_batch;
    }
    // Operations that are timed singly all work on the first slot, which only one of them finds
    // fresh.
    return run.point.timing == TimingKind::single ? 1 : workspace_.slots(slot_bytes(run.point));
}

double Sampler::trial(CaseRun& run, std::int64_t repetitions) {
    const double seconds =
        timing(run.point.timing)({*run.operation, synchronisation_, comm_}, repetitions);
    return slowest_rank(seconds, comm_);
}

// Finds the batch that lasts long enough for the clock. Of several trials the fastest counts: a
// disturbed one only ever makes a batch look long enough when it is not.
void Sampler::calibrate(CaseRun& run) {
    run.operation->fill(++stamp_);
    const std::int64_t most = most_repetitions(run);
    const double least = std::max(settings_.least_batch_seconds, run.point.least_batch_seconds);
    double seconds = trial(run, 1);
    for (run.batch = 1;; run.batch = std::min(run.batch * 2, most)) {
        const int trials = seconds < settings_.max_seconds / rounds_per_budget ? 3 : 1;
        seconds = std::numeric_limits<double>::infinity();
        for (int i = 0; i < trials; ++i) {
            seconds = std::min(seconds, trial(run, run.batch));
        }
        if (seconds >= least || run.batch >= most) {
            break;
        }
    }
    const double begin = machine::now();
    (void)trial(run, run.batch);
    const double wall = slowest_rank(machine::now() - begin, comm_);
    const double fit = settings_.max_seconds / rounds_per_budget / std::max(wall, 1e-9);
    run.slice = std::clamp(static_cast<std::int64_t>(std::min(fit, 1e9)), std::int64_t{1},
                           most_samples_per_slice);
}

void Sampler::take_sample(CaseRun& run, std::uint8_t flag) {
    const bool renewed = workspace_.mode() == CacheMode::rewritten;
    if (renewed) {
        run.operation->fill(++stamp_);
    } else if (workspace_.mode() == CacheMode::cold) {
        workspace_.flush(run.batch, slot_bytes(run.point));
    }
    const auto switches = machine::involuntary_switches();
    const double seconds =
        timing(run.point.timing)({*run.operation, synchronisation_, comm_}, run.batch);
    if (machine::involuntary_switches() != switches) {
        flag |= lost_core;
    }
    const double late = synchronisation_.lateness();
    if (late > 0) {
        flag |= late_start;
    }
    const auto operations = run.batch * run.point.operations_per_repetition;
    run.own.append(seconds / static_cast<double>(operations), flag, late);
    run.operations += operations;
    if (renewed) {
        run.verified_bytes += run.operation->verify(run.batch);
    }
}

void Sampler::take_slice(CaseRun& run, int round) {
    const double begin = machine::now();
    const bool watches = node_.rank() == 0;
    const auto stolen = watches ? machine::stolen_ticks() : 0;
    const std::size_t first = run.own.seconds.size();
    const std::int64_t count = round == 0 ? std::max<std::int64_t>(run.slice / 4, 1) : run.slice;
    std::string failure;
    run.operation->fill(++stamp_);
    synchronisation_.start();
    run.operation->run(run.batch);  // the previous case has left its traces in the caches
    for (std::int64_t i = 0; i < count; ++i) {
        try {
            take_sample(run, round == 0 ? std::uint8_t{warm_up} : std::uint8_t{0});
        } catch (const WrongPayload& wrong) {
            failure = wrong.what();
        }
    }
    if (watches && machine::stolen_ticks() != stolen) {
        for (std::size_t i = first; i < run.own.flags.size(); ++i) {
            run.own.flags[i] |= clock_gap;
        }
    }
    try {
        run.verified_bytes += run.operation->verify(run.batch);
    } catch (const WrongPayload& wrong) {
        failure = wrong.what();
    }
    reduce(run, first);
    agree_on_failure(run, failure);
    run.measuring_seconds += machine::now() - begin;
}

// Brings the samples from `first` on to rank 0, and their flags to all ranks.
void Sampler::reduce(CaseRun& run, std::size_t first) {
    const int count = static_cast<int>(run.own.seconds.size() - first);
    const auto gather = [&](const auto* own, auto& all, MPI_Datatype type, MPI_Op op) {
        all.resize(first + static_cast<std::size_t>(count));
        mpi::check(MPI_Reduce(own + first, all.data() + first, count, type, op, 0, comm_.handle()),
                   "MPI_Reduce");
    };
    std::vector<double> counted = run.own.seconds;
    if (run.point.clocks == Clocks::root && comm_.rank() != 0) {
        std::ranges::fill(counted, 0.0);
    }
    gather(counted.data(), run.reduced.slowest, MPI_DOUBLE, MPI_MAX);
    gather(run.own.seconds.data(), run.reduced.fastest, MPI_DOUBLE, MPI_MIN);
    gather(run.own.late_seconds.data(), run.reduced.late_seconds, MPI_DOUBLE, MPI_MAX);
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, run.own.flags.data() + first, count, MPI_UINT8_T,
                             MPI_BOR, comm_.handle()),
               "MPI_Allreduce");
    run.reduced.flags = run.own.flags;
    run.reduced.rounds.push_back(count);
}

// A wrong payload on any rank fails the case on all of them; rank 0 learns the first rank's words.
void Sampler::agree_on_failure(CaseRun& run, const std::string& failure) {
    const int own = failure.empty() ? comm_.size() : comm_.rank();
    int first = 0;
    mpi::check(MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, comm_.handle()), "MPI_Allreduce");
    if (first == comm_.size()) {
        return;
    }
    std::array<char, 400> text{};
    failure.copy(text.data(), text.size() - 1);
    mpi::check(
        MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, first, comm_.handle()),
        "MPI_Bcast");
    run.failure = text.data();
}

void Sampler::decide(std::vector<CaseRun*>& active, int round) {
    std::vector<std::uint8_t> reasons(active.size());
    if (comm_.rank() == 0) {
        std::ranges::transform(active, reasons.begin(), [&](const CaseRun* run) {
            const auto clean = run->reduced.clean();
            const bool few = run->operations < run->point.least_operations &&
                             run->measuring_seconds < most_overdraft * settings_.max_seconds;
            const auto reason =
                run->stopping->judge({.seconds = clean,
                                      .clean = std::ranges::count(run->reduced.flags, 0),
                                      .rounds = round,
                                      .operations = run->operations,
                                      .measuring_seconds = run->measuring_seconds});
            return static_cast<std::uint8_t>(few ? StopReason::go_on : reason);
        });
    }
    mpi::check(
        MPI_Bcast(reasons.data(), static_cast<int>(reasons.size()), MPI_UINT8_T, 0, comm_.handle()),
        "MPI_Bcast");
    for (std::size_t i = 0; i < active.size(); ++i) {
        active[i]->stop = static_cast<StopReason>(reasons[i]);
    }
}

void Sampler::measure(std::vector<CaseRun>& group, const Finished& finished,
                      const Advanced& advanced) {
    std::mt19937_64 random(settings_.seed);
    std::vector<CaseRun*> active;
    for (auto& run : group) {
        active.push_back(&run);
    }
    shuffle(active, random);
    for (auto* run : active) {
        const double begin = machine::now();
        calibrate(*run);
        run->measuring_seconds += machine::now() - begin;
    }
    for (int round = 0; !active.empty(); ++round) {
        shuffle(active, random);
        for (auto* run : active) {
            take_slice(*run, round);
            advanced(*run, round);
        }
        decide(active, round);
        std::vector<CaseRun*> remaining;
        for (auto* run : active) {
            if (run->stop == StopReason::go_on && run->failure.empty()) {
                remaining.push_back(run);
            } else {
                finished(*run);
            }
        }
        active = std::move(remaining);
    }
}

}  // namespace transrank::measure
