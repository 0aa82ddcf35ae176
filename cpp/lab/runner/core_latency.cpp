// SPDX-License-Identifier: BSD-3-Clause
#include "core_latency.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <stdexcept>

#include "lab/machine/clock.hpp"
#include "lab/machine/process.hpp"
#include "transrank/memory/node.hpp"
#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::runner {
namespace {

// The fastest of a few batches: an interrupt makes one slow, nothing makes one fast. Together some
// 80 µs.
constexpr int batches = 5;
// Each trip of a batch takes another line: which part of the shared cache a line belongs to, and
// how far that is, depends on its address.
constexpr int trips_per_batch = 64;
constexpr double patience_seconds = 5e-3;
// No cores of a node are farther apart: more is the time of a rank that had no core.
constexpr double most_seconds = 1e-6;
constexpr int looks_per_clock = 64;

// Whether `counter` has reached `number` before the clock reaches `deadline`.
bool reaches(const std::atomic<std::uint64_t>& counter, std::uint64_t number, double deadline) {
    for (int looks = 1; counter.load(std::memory_order_acquire) < number; ++looks) {
        if (looks % looks_per_clock == 0 && machine::now() > deadline) {
            return false;
        }
    }
    return true;
}

}  // namespace

// Far enough apart that no prefetcher takes the neighbor along.
struct CoreLatency::Line {
    alignas(256) std::atomic<std::uint64_t> question;
    alignas(256) std::atomic<std::uint64_t> answer;
    alignas(256) std::atomic<std::uint64_t> lost_core;  ///< last question during which one did
};

CoreLatency::Line& CoreLatency::line(std::uint64_t number) const {
    return lines_[number % trips_per_batch];
}

CoreLatency::CoreLatency(const mpi::Communicator& world) : rank_(world.rank()) {
    const memory::Node node(world);
    memory::SegmentHandle handle;
    if (rank_ == 0 && !node.oversubscribed() && node.mates().size() > 1) {
        try {
            own_ = std::make_unique<memory::SharedSegment>(trips_per_batch * sizeof(Line));
            handle = own_->handle();
            partner_ = node.mates()[1];
        } catch (const std::exception&) {
            partner_ = -1;  // then it is not measured
        }
    }
    mpi::check(MPI_Bcast(&partner_, 1, MPI_INT, 0, world.handle()), "MPI_Bcast");
    mpi::check(MPI_Bcast(&handle, sizeof handle, MPI_BYTE, 0, world.handle()), "MPI_Bcast");
    if (partner_ > 0 && (rank_ == 0 || rank_ == partner_)) {
        try {
            mapping_ = memory::MappedSegment::get(handle);
            lines_ = reinterpret_cast<Line*>(mapping_->bytes().data());
        } catch (const std::exception&) {
            lines_ = nullptr;
        }
    }
    const bool fails = partner_ > 0 && (rank_ == 0 || rank_ == partner_) && lines_ == nullptr;
    if (mpi::reduced(world, fails ? 1 : 0, MPI_MAX) != 0) {
        partner_ = -1;
    }
}

std::optional<double> CoreLatency::measure() {
    if (partner_ > 0 && rank_ == 0) {
        return ask();
    }
    if (partner_ > 0 && rank_ == partner_) {
        answer();
    }
    return std::nullopt;
}

std::optional<double> CoreLatency::ask() {
    // What was left of a question that was given up is never taken for an answer to this one.
    const std::uint64_t first = sent_ + 1;
    sent_ += 1 + batches * trips_per_batch;
    const double deadline = machine::now() + patience_seconds;
    line(first).question.store(first, std::memory_order_release);
    if (!reaches(line(first).answer, first, deadline)) {
        return std::nullopt;
    }
    const auto switches = machine::involuntary_switches();
    double fastest = std::numeric_limits<double>::infinity();
    std::uint64_t number = first;
    for (int batch = 0; batch < batches; ++batch) {
        const double begin = machine::now();
        for (int trip = 0; trip < trips_per_batch; ++trip) {
            ++number;
            line(number).question.store(number, std::memory_order_release);
            if (!reaches(line(number).answer, number, deadline)) {
                return std::nullopt;
            }
        }
        fastest = std::min(fastest, machine::now() - begin);
    }
    const double seconds = fastest / (2 * trips_per_batch);
    const bool lost = machine::involuntary_switches() != switches ||
                      line(first).lost_core.load(std::memory_order_acquire) == first;
    return lost || seconds > most_seconds ? std::nullopt : std::optional(seconds);
}

void CoreLatency::answer() {
    const std::uint64_t first = sent_ + 1;
    sent_ += 1 + batches * trips_per_batch;
    const double deadline = machine::now() + patience_seconds;
    const auto switches = machine::involuntary_switches();
    for (std::uint64_t number = first; number <= sent_; ++number) {
        if (!reaches(line(number).question, number, deadline)) {
            return;
        }
        if (number == sent_ && machine::involuntary_switches() != switches) {
            line(first).lost_core.store(first, std::memory_order_release);
        }
        line(number).answer.store(number, std::memory_order_release);
    }
}

}  // namespace transrank::lab::runner
