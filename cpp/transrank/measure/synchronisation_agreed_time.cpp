// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "transrank/machine/clock.hpp"
#include "transrank/measure/synchronisation.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::measure {
namespace {

constexpr int starts_per_review = 64;
constexpr double least_lead_seconds = 2e-6;
constexpr double most_lead_seconds = 1;

// Rank 0 announces a moment a little ahead, long enough for the announcement to reach everybody;
// each rank waits for it on its own clock. When many starts come too late for some rank, all ranks
// agree to announce further ahead.
class AgreedTime final : public Synchronisation {
public:
    AgreedTime(const mpi::Communicator& comm, const ClockModel& model)
        : comm_(comm), model_(model), lead_seconds_(announcement_seconds()) {}

    double start() override {
        if (++starts_ % starts_per_review == 0) {
            review();
        }
        double moment = model_.global(machine::now()) + lead_seconds_;
        mpi::check(MPI_Bcast(&moment, 1, MPI_DOUBLE, 0, comm_.handle()), "MPI_Bcast");
        const double begin = model_.local(moment);
        late_seconds_ = std::max(machine::now() - begin, 0.0);
        if (late_seconds_ > 0) {
            ++missed_;
        }
        while (machine::now() < begin) {
        }
        return begin;
    }

    [[nodiscard]] double lateness() const override { return late_seconds_; }

private:
    // Twice the median time in which all ranks can have heard of each other.
    [[nodiscard]] double announcement_seconds() const {
        std::array<double, 21> trials{};
        for (double& seconds : trials) {
            const double begin = machine::now();
            double ignored = 0;
            mpi::check(MPI_Allreduce(&begin, &ignored, 1, MPI_DOUBLE, MPI_MAX, comm_.handle()),
                       "MPI_Allreduce");
            seconds = machine::now() - begin;
        }
        std::ranges::nth_element(trials, trials.begin() + (trials.size() / 2));
        return std::max(2 * agreed_maximum(trials[trials.size() / 2]), least_lead_seconds);
    }

    void review() {
        const double most_missed = agreed_maximum(missed_);
        if (most_missed > starts_per_review / 10.0) {
            lead_seconds_ = std::min(2 * lead_seconds_, most_lead_seconds);
        }
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
    double lead_seconds_;
    double late_seconds_ = 0;
    int starts_ = 0;
    int missed_ = 0;
};

}  // namespace

std::unique_ptr<Synchronisation> make_agreed_time(const mpi::Communicator& comm,
                                                  const ClockModel& model) {
    return std::make_unique<AgreedTime>(comm, model);
}

}  // namespace transrank::measure
