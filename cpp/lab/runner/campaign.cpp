// SPDX-License-Identifier: BSD-3-Clause
#include "campaign.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <time.h>

#include "core_latency.hpp"
#include "core_speed.hpp"
#include "lab/machine/clock.hpp"
#include "lab/measure/record_file.hpp"
#include "lab/measure/sampler.hpp"
#include "lab/measure/stopping.hpp"
#include "launch_facts.hpp"
#include "listing.hpp"
#include "memory_speed.hpp"
#include "node_clocks.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/error.hpp"
#include "watchdog.hpp"

namespace transrank::lab::runner {
namespace {

constexpr double progress_interval_seconds = 0.25;

// Ranks without work wait here without keeping a core or the memory busy.
void wait_quietly(const mpi::Communicator& comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(MPI_Ibarrier(comm.handle(), &request), "MPI_Ibarrier");
    for (int done = 0; done == 0;) {
        mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done == 0) {
            const timespec nap{.tv_sec = 0, .tv_nsec = 1'000'000};
            nanosleep(&nap, nullptr);
        }
    }
}

std::vector<std::vector<measure::Case>> split_groups(const std::vector<measure::Case>& cases) {
    std::vector<std::vector<measure::Case>> groups;
    for (const auto& point : cases) {
        const auto group = std::ranges::find_if(
            groups, [&](const auto& members) { return members.front().group == point.group; });
        if (group == groups.end()) {
            groups.push_back({point});
        } else {
            group->push_back(point);
        }
    }
    return groups;
}

std::int64_t largest_bytes(const std::vector<measure::Case>& group) {
    std::int64_t largest = 0;
    for (const auto& point : group) {
        const auto bytes = std::ranges::find(point.axes, "bytes", &measure::Axis::name);
        if (bytes != point.axes.end()) {
            largest = std::max(largest, std::get<std::int64_t>(bytes->value));
        }
    }
    return largest;
}

class Campaign {
public:
    explicit Campaign(const Options& options)
        : options_(options),
          world_(MPI_COMM_WORLD),
          watchdog_(options.watchdog_seconds, world_.rank()),
          clock_(machine::measure_clock()),
          least_batch_seconds_(measure::least_batch_seconds(world_, clock_)),
          core_latency_(world_),
          core_speed_(world_) {}

    int run() {
        const auto selected = selected_cases(options_, world_.size());
        for (const auto& cases : selected) {
            total_ += cases.size();
        }
        if (is_root()) {
            record_.emplace(options_.record_path);
        }
        if (options_.synchronisation == measure::SynchronisationKind::clock) {
            clocks_.emplace(world_);
        }
        write_launch_line();
        for (const auto& cases : selected) {
            if (!cases.empty()) {
                measure_study(study::find(cases.front().study), cases);
            }
        }
        if (clocks_) {
            record_clock_error(clocks_->worst_error_seconds());
        }
        if (is_root()) {
            record_->synchronise();
        }
        return failed_;
    }

private:
    [[nodiscard]] bool is_root() const { return world_.rank() == 0; }

    void write_launch_line() {
        text::JsonWriter json;
        json.begin_object().key("kind").value("launch");
        write_launch_and_shape(json);
        json.key("started").value(machine::epoch_now());
        json.key("command").array(options_.command);
        write_launch_facts(world_, clock_, json);
        json.key("synchronisation");
        if (clocks_) {
            clocks_->describe(json);
        } else {
            json.begin_object().key("method").value("barrier").end_object();
        }
        json.end_object();
        if (is_root()) {
            record_->append(json.text());
        }
    }

    void record_clock_error(double worst_seconds) {
        text::JsonWriter json;
        json.begin_object().key("kind").value("event").key("event").value("clocks-checked");
        json.key("time").value(machine::utc_now()).key("launch").value(options_.launch);
        json.key("accuracy_seconds").value(worst_seconds).end_object();
        if (is_root()) {
            record_->append(json.text());
        }
    }

    void write_launch_and_shape(text::JsonWriter& json) const {
        json.key("launch").value(options_.launch);
        json.key("shape").begin_object().key("ranks").value(world_.size());
        json.key("ranks_per_node").value(options_.ranks_per_node).end_object();
    }

    void measure_study(const study::Study& study, const std::vector<measure::Case>& cases) {
        std::vector<measure::Case> runnable;
        for (const auto& point : cases) {
            if (point.skip_reason.empty()) {
                runnable.push_back(point);
            } else {
                record_skipped(point);
            }
        }
        if (clocks_) {
            clocks_->refresh();
        }
        const int ranks_used = study.ranks_used(world_.size());
        const bool takes_part = world_.rank() < ranks_used;
        cores_measurable_ = core_latency_.measurable_by(ranks_used);
        const auto active = world_.split(takes_part ? 0 : MPI_UNDEFINED);
        if (takes_part && !runnable.empty()) {
            const auto synchronisation = clocks_
                                             ? measure::make_agreed_time(active, clocks_->model())
                                             : measure::make_barrier(active);
            for (const auto& group : split_groups(runnable)) {
                measure_group(study, group, active, *synchronisation);
            }
        } else {
            watchdog_.rest();
        }
        wait_quietly(world_);
        watchdog_.advance("after study " + std::string(study.name));
    }

    void measure_group(const study::Study& study, const std::vector<measure::Case>& group,
                       const mpi::Communicator& active, measure::Synchronisation& synchronisation) {
        watchdog_.advance("preparing " + group.front().group);
        std::int64_t send_bytes = 0;
        std::int64_t receive_bytes = 0;
        for (const auto& point : group) {
            send_bytes = std::max(send_bytes, point.send_bytes);
            receive_bytes = std::max(receive_bytes, point.receive_bytes);
        }
        const measure::Workspace workspace(send_bytes, receive_bytes, options_.cache,
                                           options_.buffer_offset);
        const study::Setting setting{active, workspace, largest_bytes(group)};
        const auto stopping = options_.count ? measure::make_count_stopping(*options_.count)
                                             : measure::make_interval_stopping(
                                                   options_.precision, options_.max_seconds);
        from_memory_ =
            study.measures_memory ? std::set<std::string>() : touching_memory(group, active);
        std::vector<measure::CaseRun> runs;
        for (const auto& point : group) {
            try {
                auto operation = study.prepare(point, setting);
                auto& run = runs.emplace_back();
                run.point = point;
                run.operation = std::move(operation);
                run.stopping = stopping.get();
            } catch (const mpi::AgreedError& error) {
                auto unfit = point;  // all ranks are here: what the case asks for cannot be had
                unfit.skip_reason = error.what();
                record_skipped(unfit);
            }
        }
        measure::Sampler sampler(active, synchronisation, workspace,
                                 {.seed = options_.seed,
                                  .max_seconds = options_.max_seconds,
                                  .least_batch_seconds = least_batch_seconds_});
        sampler.measure(runs, {.calibrated = [&](const measure::CaseRun& run) { advance(run, 0); },
                               .advanced =
                                   [&](const measure::CaseRun& run, int round) {
                                       advance(run, round);
                                       return watch_cores(run, active);
                                   },
                               .finished = [&](measure::CaseRun& run) { record(run, active); }});
    }

    void advance(const measure::CaseRun& run, int round) {
        watchdog_.advance(run.point.id());
        const double now = machine::now();
        if (is_root() && now - last_progress_ >= progress_interval_seconds) {
            last_progress_ = now;
            print_progress(run.point.study, round);
        }
    }

    // Collective. The cases whose operations touch more than the caches of a core hold, on any
    // rank.
    static std::set<std::string> touching_memory(const std::vector<measure::Case>& group,
                                                 const mpi::Communicator& active) {
        std::vector<std::int64_t> touched;
        for (const auto& point : group) {
            touched.push_back(point.send_bytes + point.receive_bytes + point.further_bytes);
        }
        mpi::check(MPI_Allreduce(MPI_IN_PLACE, touched.data(), static_cast<int>(touched.size()),
                                 MPI_INT64_T, MPI_MAX, active.handle()),
                   "MPI_Allreduce");
        std::set<std::string> found;
        for (std::size_t i = 0; i < group.size(); ++i) {
            if (touched[i] >= MemorySpeed::least_bytes) {
                found.insert(group[i].id());
            }
        }
        return found;
    }

    // After a round of the case, so that its samples can be told by how fast the cores were and how
    // far apart. Whether the cores were within the bounds, on rank 0.
    bool watch_cores(const measure::CaseRun& run, const mpi::Communicator& active) {
        bool within = true;
        if (core_speed_.measurable()) {
            const double seconds = CoreSpeed::work_seconds(active);
            core_work_[run.point.id()].push_back(seconds);
            within = options_.cores.hold_work(seconds);
        }
        if (cores_measurable_) {
            const double seconds =
                core_latency_.measure().value_or(std::numeric_limits<double>::quiet_NaN());
            core_latencies_[run.point.id()].push_back(seconds);
            within = within && options_.cores.hold_latency(seconds);
        }
        return within;
    }

    // The estimate takes each remaining case for as long as the finished ones took on average, or
    // for its whole budget while none has finished.
    void print_progress(const std::string& study, int round) const {
        const double each =
            done_ == 0 ? options_.max_seconds : measured_seconds_ / static_cast<double>(done_);
        std::printf("progress %s %zu %zu %d %.1f\n", study.c_str(), done_, total_, round,
                    each * static_cast<double>(total_ - done_));
        std::fflush(stdout);
    }

    void begin_case(const measure::Case& point, text::JsonWriter& json) const {
        json.begin_object().key("kind").value("case");
        write_identity(point, json);
        write_launch_and_shape(json);
    }

    void finish_case(const std::string& study, const std::string& line) {
        ++done_;
        if (is_root()) {
            record_->append(line);
            print_progress(study, 0);
        }
    }

    void record_skipped(const measure::Case& point) {
        text::JsonWriter json;
        begin_case(point, json);
        json.key("status").value("skipped").key("reason").value(point.skip_reason).end_object();
        finish_case(point.study, json.text());
    }

    void record(measure::CaseRun& run, const mpi::Communicator& active) {
        measured_seconds_ += run.measuring_seconds;
        text::JsonWriter json;
        begin_case(run.point, json);
        if (run.failure.empty()) {
            json.key("status").value("ok");
            write_measurement(run, active, json);
        } else {
            ++failed_;
            json.key("status").value("failed").key("reason").value(run.failure);
            if (is_root()) {
                std::fprintf(stderr, "transrank-run: %s: %s\n", run.point.id().c_str(),
                             run.failure.c_str());
            }
        }
        finish_case(run.point.study, json.end_object().text());
    }

    void write_measurement(const measure::CaseRun& run, const mpi::Communicator& active,
                           text::JsonWriter& json) {
        const auto& point = run.point;
        json.key("stop").value(measure::name(run.stop));
        json.key("timing").value(measure::name(point.timing));
        json.key("clocks").value(measure::name(point.clocks));
        json.key("batch").value(run.batch * point.operations_per_repetition);
        json.key("bytes_counted").value(point.bytes_counted);
        json.key("measuring_seconds").value(run.measuring_seconds);
        json.key("waited_seconds").value(mpi::reduced(active, run.waited_seconds, MPI_MAX));
        json.key("verified").value(mpi::reduced(active, run.verified_bytes, MPI_SUM));
        json.key("samples").begin_object();
        json.key("seconds").array(run.reduced.slowest);
        json.key("fastest").array(run.reduced.fastest);
        json.key("flags").array(run.reduced.flags);
        json.key("rounds").array(run.reduced.rounds);
        if (const auto found = core_latencies_.extract(point.id())) {
            json.key("core_latency_seconds").array(found.mapped());
        }
        if (const auto found = core_work_.extract(point.id())) {
            json.key("core_work_seconds").array(found.mapped());
        }
        if (core_speed_.measurable() && from_memory_.contains(point.id())) {
            // After the last round: what they leave in the caches would slow the next one.
            json.key("memory_copy_seconds").array(memory_speed_.copy_seconds(active));
        }
        if (clocks_) {
            json.key("late_seconds").array(run.reduced.late_seconds);
        }
        json.end_object();
        auto recording = options_.recording;
        if (study::find(point.study).compares_ranks) {
            recording.most_listed = active.size();
        }
        measure::record_ranks(recording, run.own, active, json);
        run.operation->describe(json);
    }

    const Options& options_;
    mpi::Communicator world_;
    Watchdog watchdog_;
    machine::ClockQuality clock_;
    double least_batch_seconds_;
    CoreLatency core_latency_;
    CoreSpeed core_speed_;
    MemorySpeed memory_speed_;
    std::set<std::string> from_memory_;  ///< cases of the group that depend on its speed
    bool cores_measurable_ = false;      ///< by the ranks of the study that is measured
    std::map<std::string, std::vector<double>> core_latencies_;  ///< by case, one per round;
                                                                 ///< NaN: not answered in time
    std::map<std::string, std::vector<double>> core_work_;       ///< by case, as above
    std::optional<measure::RecordFile> record_;
    std::optional<NodeClocks> clocks_;
    std::size_t total_ = 0;
    std::size_t done_ = 0;
    int failed_ = 0;
    double measured_seconds_ = 0;
    double last_progress_ = 0;
};

}  // namespace

int run_campaign(const Options& options) {
    return Campaign(options).run();
}

}  // namespace transrank::lab::runner
