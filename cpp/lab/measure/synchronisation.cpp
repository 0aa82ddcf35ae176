// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/synchronisation.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lab/machine/clock.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::measure {
namespace {

class Barrier final : public Synchronisation {
public:
    explicit Barrier(const mpi::Communicator& comm) : comm_(comm) {}

    double start() override {
        mpi::check(MPI_Barrier(comm_.handle()), "MPI_Barrier");
        return machine::now();
    }

private:
    const mpi::Communicator& comm_;
};

constexpr int starts_per_review = 64;
constexpr double least_lead_seconds = 2e-6;
// The longest lead, as a multiple of the usual one: a rank that misses it was disturbed, and a
// longer one would not help.
constexpr double most_lead_factor = 16;
constexpr double lead_growth = 1.25;
constexpr double lead_decay = 0.95;

// The ranks agree on a moment a little after the last of them has arrived, and each waits for it on
// its own clock. The lead is long enough for the agreement to reach everybody; it grows while some
// rank misses starts, and shrinks again when none does.
class AgreedTime final : public Synchronisation {
public:
    AgreedTime(const mpi::Communicator& comm, const ClockModel& model)
        : comm_(comm),
          model_(model),
          usual_lead_seconds_(announcement_seconds()),
          lead_seconds_(usual_lead_seconds_) {}

    double start() override {
        if (++starts_ % starts_per_review == 0) {
            review();
        }
        const double last_came = agreed_maximum(model_.global(machine::now()));
        const double begin = model_.local(last_came + lead_seconds_);
        const double late = machine::now() - begin;
        if (late > 0) {
            ++missed_;
            latest_seconds_ = std::max(latest_seconds_, late);
        }
        while (machine::now() < begin) {
        }
        return begin;
    }

    [[nodiscard]] double take_lateness() override { return std::exchange(latest_seconds_, 0); }

private:
    // Twice the median time in which all ranks can have heard of each other.
    [[nodiscard]] double announcement_seconds() const {
        std::array<double, 21> trials{};
        for (double& seconds : trials) {
            const double begin = machine::now();
            (void)agreed_maximum(begin);
            seconds = machine::now() - begin;
        }
        std::ranges::nth_element(trials, trials.begin() + (trials.size() / 2));
        return std::max(2 * agreed_maximum(trials[trials.size() / 2]), least_lead_seconds);
    }

    void review() {
        const bool any_missed = agreed_maximum(missed_) > 0;
        lead_seconds_ = std::clamp(lead_seconds_ * (any_missed ? lead_growth : lead_decay),
                                   usual_lead_seconds_, most_lead_factor * usual_lead_seconds_);
        missed_ = 0;
    }

    [[nodiscard]] double agreed_maximum(double own) const {
        double all = 0;
        mpi::check(MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, comm_.handle()),
                   "MPI_Allreduce");
        return all;
    }

    const mpi::Communicator& comm_;
    ClockModel model_;
    double usual_lead_seconds_;
    double lead_seconds_;
    double latest_seconds_ = 0;
    int starts_ = 0;
    int missed_ = 0;
};

}  // namespace

std::unique_ptr<Synchronisation> make_barrier(const mpi::Communicator& comm) {
    return std::make_unique<Barrier>(comm);
}

std::unique_ptr<Synchronisation> make_agreed_time(const mpi::Communicator& comm,
                                                  const ClockModel& model) {
    return std::make_unique<AgreedTime>(comm, model);
}

}  // namespace transrank::lab::measure
