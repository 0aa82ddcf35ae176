// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "lab/machine/process.hpp"
#include "lab/measure/payload.hpp"
#include "lab/measure/timing.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::measure {
namespace {

// A case's budget is spent in about this many rounds, so that drift within a launch shows; none of
// them takes long, so that a watcher sees the case advance.
constexpr double rounds_per_budget = 8;
constexpr double most_round_seconds = 10;
// Four rounds of this many decide about the median of all but the noisiest cases.
constexpr std::int64_t most_samples_per_slice = 64;
constexpr std::int64_t most_batch = std::int64_t{1} << 24;
// A case that must reach a number of operations may overdraw its budget by this factor.
constexpr double most_overdraft = 20;
// A batch lasts this many times what the clock resolves: its time is right to half a percent.
constexpr double clock_readings_per_batch = 200;
// Up to this size a payload is renewed for each sample: writing and comparing it takes about a
// microsecond, and leaves it where the operation itself does, in the first-level cache.
constexpr std::int64_t most_renewed_bytes = 4096;

// std::shuffle differs between standard libraries; ranks may run different ones.
void shuffle(std::vector<CaseRun*>& order, std::mt19937_64& random) {
    for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1], order[random() % i]);
    }
}

// A random order, controls before all others.
void reorder(std::vector<CaseRun*>& runs, std::mt19937_64& random) {
    shuffle(runs, random);
    std::ranges::stable_partition(runs, [](const CaseRun* run) { return run->point.control; });
}

double slowest_rank(double seconds, const mpi::Communicator& comm) {
    double slowest = 0;
    mpi::check(MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm.handle()),
               "MPI_Allreduce");
    return slowest;
}

// Samples of `each` seconds that fill a slice of `seconds`.
std::int64_t samples_in(double seconds, double each) {
    const double fit = std::min(seconds / std::max(each, 1e-9), 1e9);
    return std::clamp(static_cast<std::int64_t>(fit), std::int64_t{1}, most_samples_per_slice);
}

template <class Work>
double wall_seconds(const Work& work) {
    const double begin = machine::now();
    work();
    return machine::now() - begin;
}

std::int64_t slot_bytes(const Case& point) {
    return std::max(point.send_bytes, point.receive_bytes);
}

}  // namespace

double least_batch_seconds(const mpi::Communicator& comm, const machine::ClockQuality& clock) {
    const double coarsest =
        slowest_rank(std::max(clock.resolution_seconds, clock.cost_seconds), comm);
    return std::max(usual_batch_seconds, clock_readings_per_batch * coarsest);
}

Sampler::Sampler(const mpi::Communicator& comm, Synchronisation& synchronisation,
                 const Workspace& workspace, const SamplerSettings& settings)
    : comm_(comm),
      node_(comm.split_node()),
      turns_(share_turns(comm, node_)),
      steal_(node_, settings.steal),
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

// Whether each sample has a payload of its own; otherwise each slice has.
bool Sampler::renews(const CaseRun& run) const {
    return workspace_.mode() == CacheMode::rewritten ||
           slot_bytes(run.point) + run.point.further_bytes <= most_renewed_bytes;
}

double Sampler::round_seconds() const {
    return std::min(settings_.max_seconds / rounds_per_budget, most_round_seconds);
}

// None on a rank that has no part in the case, or no turn.
std::optional<double> Sampler::time(CaseRun& run, std::int64_t repetitions) {
    const auto seconds = measure::time(
        run.point.timing, {*run.operation, synchronisation_, turns_, core_}, repetitions);
    return run.operation->takes_part() ? seconds : std::nullopt;
}

Sampler::Trial Sampler::try_batch(CaseRun& run, std::int64_t repetitions) {
    double seconds = 0;
    const double wall = wall_seconds([&] { seconds = time(run, repetitions).value_or(0); });
    return {.seconds = slowest_rank(seconds, comm_), .wall_seconds = slowest_rank(wall, comm_)};
}

// Finds the batch that lasts long enough for the clock. Of several trials the fastest counts: a
// disturbed one only ever makes a batch look long enough when it is not.
void Sampler::calibrate(CaseRun& run) {
    run.batch = 1;
    const double readying = wall_seconds([&] { ready_sample(run); });
    if (!renews(run)) {
        run.operation->fill(++stamp_);
    }
    const std::int64_t most = most_repetitions(run);
    const double least = std::max(settings_.least_batch_seconds, run.point.least_batch_seconds);
    Trial best = try_batch(run, 1);
    for (;; run.batch = std::min(run.batch * 2, most)) {
        const int trials = best.seconds < round_seconds() ? 3 : 1;
        best = try_batch(run, run.batch);
        for (int i = 1; i < trials; ++i) {
            const auto trial = try_batch(run, run.batch);
            best = {.seconds = std::min(best.seconds, trial.seconds),
                    .wall_seconds = std::min(best.wall_seconds, trial.wall_seconds)};
        }
        if (best.seconds >= least || run.batch >= most) {
            break;
        }
    }
    const double each = best.wall_seconds + slowest_rank(readying, comm_);
    run.slice = samples_in(round_seconds(), each);
    // Where one sample takes a whole round, a round to warm up would cost as much as two rounds
    // that count, and each of the trials was as long.
    run.warmed = each >= round_seconds();
}

// What a sample needs before its clock: the payload, and the caches as the mode wants them.
void Sampler::ready_sample(CaseRun& run) {
    if (renews(run)) {
        run.operation->fill(++stamp_);
    }
    if (workspace_.mode() == CacheMode::cold) {
        workspace_.flush(run.batch, slot_bytes(run.point));
    }
}

void Sampler::take_sample(CaseRun& run, std::uint8_t flag) {
    ready_sample(run);
    (void)synchronisation_.take_lateness();  // of starts before this sample
    const auto seconds = time(run, run.batch);
    if (core_.lost_in(seconds.value_or(0))) {
        flag |= lost_core;
    }
    const double late = synchronisation_.take_lateness();
    if (late > 0) {
        flag |= late_start;
    }
    const auto operations = run.batch * run.point.operations_per_repetition;
    run.own.append(seconds ? *seconds / static_cast<double>(operations)
                           : std::numeric_limits<double>::quiet_NaN(),
                   flag, late);
    run.operations += operations;
    if (renews(run)) {
        run.verified_bytes += run.operation->verify(run.batch);
    }
}

void Sampler::take_slice(CaseRun& run, int round) {
    const double begin = machine::now();
    const std::size_t first = run.own.seconds.size();
    const bool warms = round == 0 && !run.warmed;
    const std::int64_t count = warms ? std::max<std::int64_t>(run.slice / 4, 1) : run.slice;
    std::string failure;
    steal_.begin();
    const auto waited = machine::nanoseconds_without_core();
    run.operation->fill(++stamp_);
    synchronisation_.start();
    run.operation->run(run.batch);  // the previous case has left its traces in the caches
    run.sampling_seconds += wall_seconds([&] {
        for (std::int64_t i = 0; i < count; ++i) {
            try {
                take_sample(run, warms ? std::uint8_t{warm_up} : std::uint8_t{0});
            } catch (const WrongPayload& wrong) {
                failure = wrong.what();
            }
        }
    });
    run.waited_seconds += static_cast<double>(machine::nanoseconds_without_core() - waited) * 1e-9;
    if (steal_.end()) {
        for (std::size_t i = first; i < run.own.flags.size(); ++i) {
            run.own.flags[i] |= stolen;
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
    const bool counts = run.point.clocks == Clocks::all || comm_.rank() == 0;
    const auto own_or = [&](double neutral, bool counted) {
        auto values = run.own.seconds;
        std::ranges::replace_if(
            values, [&](double value) { return !counted || std::isnan(value); }, neutral);
        return values;
    };
    gather(own_or(0, counts).data(), run.reduced.slowest, MPI_DOUBLE, MPI_MAX);
    gather(own_or(std::numeric_limits<double>::infinity(), true).data(), run.reduced.fastest,
           MPI_DOUBLE, MPI_MIN);
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
    struct Decision {
        std::int64_t reason;
        std::int64_t slice;
    };
    std::vector<Decision> decisions(active.size());
    if (comm_.rank() == 0) {
        std::ranges::transform(active, decisions.begin(), [&](const CaseRun* run) {
            const auto flags = run->reduced.flags_of_counting();
            const auto clean = run->reduced.clean();
            const auto& counts = run->reduced.counts;
            const auto uncounted =
                std::count(counts.begin() + (run->warmed ? 0 : 1), counts.end(), false);
            const bool few = run->operations < run->point.least_operations &&
                             run->measuring_seconds < most_overdraft * settings_.max_seconds;
            const auto reason = run->stopping->judge({.seconds = clean,
                                                      .clean = std::ranges::count(flags, 0),
                                                      .rounds = round + (run->warmed ? 1 : 0),
                                                      .uncounted = static_cast<int>(uncounted),
                                                      .operations = run->operations,
                                                      .measuring_seconds = run->measuring_seconds});
            const auto taken = static_cast<double>(run->own.seconds.size());
            return Decision{.reason = static_cast<std::int64_t>(few ? StopReason::go_on : reason),
                            .slice = samples_in(round_seconds(), run->sampling_seconds / taken)};
        });
    }
    mpi::check(MPI_Bcast(decisions.data(), 2 * static_cast<int>(decisions.size()), MPI_INT64_T, 0,
                         comm_.handle()),
               "MPI_Bcast");
    for (std::size_t i = 0; i < active.size(); ++i) {
        active[i]->stop = static_cast<StopReason>(decisions[i].reason);
        active[i]->slice = decisions[i].slice;
    }
}

void Sampler::measure(std::vector<CaseRun>& group, const Listener& listener) {
    std::mt19937_64 random(settings_.seed);
    std::vector<CaseRun*> active;
    for (auto& run : group) {
        active.push_back(&run);
    }
    reorder(active, random);
    for (auto* run : active) {
        run->measuring_seconds += wall_seconds([&] { calibrate(*run); });
        listener.calibrated(*run);
    }
    for (int round = 0; !active.empty(); ++round) {
        reorder(active, random);
        for (auto* run : active) {
            take_slice(*run, round);
            run->reduced.counts.push_back(listener.advanced(*run, round));
        }
        decide(active, round);
        std::vector<CaseRun*> remaining;
        for (auto* run : active) {
            if (run->stop == StopReason::go_on && run->failure.empty()) {
                remaining.push_back(run);
            } else {
                listener.finished(*run);
            }
        }
        active = std::move(remaining);
    }
}

}  // namespace transrank::lab::measure
