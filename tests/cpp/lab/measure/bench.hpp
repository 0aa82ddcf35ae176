// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/machine/clock.hpp"
#include "lab/measure/payload.hpp"
#include "lab/measure/sampler.hpp"
#include "testing.hpp"

namespace transrank::lab::test {

/// What the sampler did with a made-up operation.
struct Log {
    bool takes_part = true;
    double fill_seconds = 0;            ///< each fill takes so long
    std::vector<std::uint64_t> stamps;  ///< of each fill
    std::vector<std::int64_t> batches;  ///< of each run
    int verified = 0;
};

/// Takes so long as it is told, every other batch longer by `unrest`, and is told on which ranks
/// its payload is wrong.
class MadeUp final : public measure::Operation {
public:
    MadeUp(Log& log, double seconds, std::string failure, double unrest)
        : log_(log), seconds_(seconds), failure_(std::move(failure)), unrest_(unrest) {}

    [[nodiscard]] bool takes_part() const override { return log_.takes_part; }
    void fill(std::uint64_t stamp) override {
        log_.stamps.push_back(stamp);
        spin(log_.fill_seconds);
    }
    void run(std::int64_t repetitions) override {
        log_.batches.push_back(repetitions);
        const double factor = log_.batches.size() % 2 == 0 ? 1 : 1 + unrest_;
        spin(seconds_ * factor * static_cast<double>(repetitions));
    }
    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        ++log_.verified;
        if (!failure_.empty()) {
            throw measure::WrongPayload(failure_);
        }
        return 10;
    }

private:
    static void spin(double seconds) {
        const double end = machine::now() + seconds;
        while (machine::now() < end) {
        }
    }

    Log& log_;
    double seconds_;
    std::string failure_;
    double unrest_;
};

/// A sampler of made-up operations, and what it did with them.
struct Bench {
    mpi::Communicator comm{MPI_COMM_WORLD};
    std::unique_ptr<measure::Synchronisation> synchronisation = measure::make_barrier(comm);
    std::unique_ptr<measure::Stopping> stopping = measure::make_count_stopping(50);
    measure::CacheMode cache = measure::CacheMode::warm;
    measure::SamplerSettings settings{.seed = 5, .max_seconds = 1e-3};
    std::map<std::string, Log> logs;
    std::int64_t bytes = 8;
    std::function<bool(int round)> counts = [](int) { return true; };
    std::vector<std::string> calibrated;
    std::vector<std::string> advanced;
    std::vector<std::string> finished;
    std::vector<measure::CaseRun> group;

    void add(const std::string& name, double seconds, const std::string& failure = "",
             double unrest = 0) {
        auto& run = group.emplace_back();
        run.point.study = name;
        run.point.send_bytes = bytes;
        run.point.receive_bytes = bytes;
        run.operation = std::make_unique<MadeUp>(logs[name], seconds, failure, unrest);
        run.stopping = stopping.get();
    }

    void measure() {
        const measure::Workspace workspace(bytes, bytes, cache);
        measure::Sampler sampler(comm, *synchronisation, workspace, settings);
        sampler.measure(
            group,
            {.calibrated =
                 [&](const measure::CaseRun& run) { calibrated.push_back(run.point.study); },
             .advanced =
                 [&](const measure::CaseRun& run, int round) {
                     advanced.push_back(std::to_string(round) + run.point.study);
                     return counts(round);
                 },
             .finished = [&](measure::CaseRun& run) { finished.push_back(run.point.study); }});
    }

    [[nodiscard]] bool is_root() const { return comm.rank() == 0; }

    [[nodiscard]] bool same_everywhere(std::int64_t value) const {
        const std::int64_t both[2] = {value, -value};
        std::int64_t most[2] = {};
        MPI_Allreduce(both, most, 2, MPI_INT64_T, MPI_MAX, comm.handle());
        return most[0] == -most[1];
    }
    [[nodiscard]] bool same_everywhere(const std::vector<std::string>& words) const {
        std::string text;
        for (const auto& word : words) {
            text += word + ' ';
        }
        return same_everywhere(static_cast<std::int64_t>(std::hash<std::string>{}(text) >> 2U));
    }
};

}  // namespace transrank::lab::test
