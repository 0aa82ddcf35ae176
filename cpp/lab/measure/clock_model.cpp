// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/clock_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <time.h>

#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::measure {
namespace {

constexpr int tag = 21;
constexpr int fit_points = 50;
constexpr int check_points = 10;
constexpr int exchanges_per_point = 12;
constexpr long pause_nanoseconds = 10'000'000;

/// At the learner's clock reading `local` the teacher's global clock was ahead by `offset`.
struct Reading {
    double local;
    double offset;
};

void pause() {
    const timespec nap{.tv_sec = 0, .tv_nsec = pause_nanoseconds};
    nanosleep(&nap, nullptr);
}

class Lesson {
public:
    Lesson(const mpi::Communicator& leaders, int partner, const Clock& clock)
        : comm_(leaders.handle()), partner_(partner), clock_(clock) {}

    /// Tells the global time as `known` has it, and last how wrong that may be.
    void teach(const ClockModel& known, double error_seconds, int points) const {
        for (int i = 0; i < points * exchanges_per_point; ++i) {
            mpi::check(MPI_Recv(nullptr, 0, MPI_BYTE, partner_, tag, comm_, MPI_STATUS_IGNORE),
                       "MPI_Recv");
            send(known.global(clock_()));
        }
        send(error_seconds);
    }

    [[nodiscard]] std::vector<Reading> learn(int points) const {
        std::vector<Reading> readings;
        for (int i = 0; i < points; ++i) {
            readings.push_back(ask());
            pause();
        }
        return readings;
    }

    [[nodiscard]] double teachers_error() const { return receive(); }

private:
    // The fastest of some ping-pongs: its two ways differ least.
    [[nodiscard]] Reading ask() const {
        Reading best{};
        double fastest = std::numeric_limits<double>::infinity();
        for (int i = 0; i < exchanges_per_point; ++i) {
            const double asked = clock_();
            mpi::check(MPI_Send(nullptr, 0, MPI_BYTE, partner_, tag, comm_), "MPI_Send");
            const double global = receive();
            const double answered = clock_();
            if (answered - asked < fastest) {
                fastest = answered - asked;
                const double middle = asked + (fastest / 2);
                best = {.local = middle, .offset = global - middle};
            }
        }
        return best;
    }

    void send(double value) const {
        mpi::check(MPI_Send(&value, 1, MPI_DOUBLE, partner_, tag, comm_), "MPI_Send");
    }
    [[nodiscard]] double receive() const {
        double value = 0;
        mpi::check(MPI_Recv(&value, 1, MPI_DOUBLE, partner_, tag, comm_, MPI_STATUS_IGNORE),
                   "MPI_Recv");
        return value;
    }

    MPI_Comm comm_;
    int partner_;
    const Clock& clock_;
};

ClockModel fit_line(const std::vector<Reading>& readings) {
    const auto count = static_cast<double>(readings.size());
    // Around the means, since squares of seconds since boot would drown nanoseconds.
    double mean_local = 0;
    double mean_offset = 0;
    for (const auto& reading : readings) {
        mean_local += reading.local / count;
        mean_offset += reading.offset / count;
    }
    double covariance = 0;
    double variance = 0;
    for (const auto& reading : readings) {
        covariance += (reading.local - mean_local) * (reading.offset - mean_offset);
        variance += (reading.local - mean_local) * (reading.local - mean_local);
    }
    return {.reference = mean_local,
            .offset = mean_offset,
            .drift = variance > 0 ? covariance / variance : 0};
}

double largest_residual(const ClockModel& model, const std::vector<Reading>& readings) {
    double largest = 0;
    for (const auto& reading : readings) {
        const double told = reading.local + reading.offset;
        largest = std::max(largest, std::abs(model.global(reading.local) - told));
    }
    return largest;
}

// The tree of nodes in which global time is handed on: log2(nodes) steps, in each of which the
// nodes that know it call `teach` and as many others call `learn`, both with the other's rank.
template <class Teach, class Learn>
void hand_on(const mpi::Communicator& leaders, const Teach& teach, const Learn& learn) {
    const auto size = static_cast<unsigned>(leaders.size());
    const auto rank = static_cast<unsigned>(leaders.rank());
    for (unsigned stride = std::bit_ceil(size) / 2; stride > 0; stride /= 2) {
        const unsigned place = rank % (2 * stride);
        if (place == 0 && rank + stride < size) {
            teach(static_cast<int>(rank + stride));
        } else if (place == stride) {
            learn(static_cast<int>(rank - stride));
        }
    }
}

}  // namespace

void ClockFit::describe(text::JsonWriter& json) const {
    json.begin_object().key("method").value("clock");
    json.key("accuracy_seconds").value(accuracy_seconds);
    json.key("offsets_seconds").array(offsets).key("drifts").array(drifts).end_object();
}

ClockFit synchronise_node_clocks(const mpi::Communicator& leaders, const Clock& clock) {
    ClockFit fit;
    hand_on(
        leaders,
        [&](int learner) {
            const Lesson lesson(leaders, learner, clock);
            lesson.teach(fit.model, fit.accuracy_seconds, fit_points + check_points);
        },
        [&](int teacher) {
            const Lesson lesson(leaders, teacher, clock);
            fit.model = fit_line(lesson.learn(fit_points));
            const double residual = largest_residual(fit.model, lesson.learn(check_points));
            fit.accuracy_seconds = residual + lesson.teachers_error();
        });
    for (const auto& model : mpi::gathered(leaders, fit.model)) {
        fit.offsets.push_back(model.offset);
        fit.drifts.push_back(model.drift);
    }
    return fit;
}

double check_node_clocks(const mpi::Communicator& leaders, const ClockModel& model,
                         const Clock& clock) {
    double error = 0;
    hand_on(
        leaders,
        [&](int learner) { Lesson(leaders, learner, clock).teach(model, error, check_points); },
        [&](int teacher) {
            const Lesson lesson(leaders, teacher, clock);
            const double residual = largest_residual(model, lesson.learn(check_points));
            error = residual + lesson.teachers_error();
        });
    return error;
}

ClockFit synchronise_clocks(const mpi::Communicator& comm, const Clock& clock) {
    ClockFit fit;
    const auto node = comm.split_node();
    const bool leads = node.rank() == 0;
    const auto leaders = comm.split(leads ? 0 : MPI_UNDEFINED);
    if (leads) {
        fit = synchronise_node_clocks(leaders, clock);
    }
    mpi::check(MPI_Bcast(&fit.model, 3, MPI_DOUBLE, 0, node.handle()), "MPI_Bcast");
    fit.accuracy_seconds = mpi::reduced(comm, fit.accuracy_seconds, MPI_MAX);
    return fit;
}

double check_clocks(const mpi::Communicator& comm, const ClockModel& model, const Clock& clock) {
    const auto node = comm.split_node();
    const bool leads = node.rank() == 0;
    const auto leaders = comm.split(leads ? 0 : MPI_UNDEFINED);
    return mpi::reduced(comm, leads ? check_node_clocks(leaders, model, clock) : 0.0, MPI_MAX);
}

}  // namespace transrank::lab::measure
