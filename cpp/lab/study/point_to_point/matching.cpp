// SPDX-License-Identifier: BSD-3-Clause
// Question: what does a message cost beside others that wait to be matched? A ping-pong while that
// many receives of another tag are posted on both ranks, or that many messages of another tag have
// arrived there unexpected. MPI searches these queues for each message; a program with many
// neighbors fills them. The waiting messages have 0 bytes, are sent and received outside the clock,
// and are at most so many that MPI takes them without a receiver. Timed on rank 0 over a batch of
// round trips; the number is half a round trip, and bytes count once.
#include <algorithm>
#include <cstddef>

#include "lab/machine/clock.hpp"
#include "lab/study/point_to_point/round_trips.hpp"
#include "lab/study/table.hpp"

namespace transrank::lab::study {
namespace {

constexpr std::string_view study_name = "matching";
constexpr std::string_view sizes = "8";
constexpr std::string_view posted = "posted";
constexpr int waiting_tag = 18;
constexpr int ready_tag = 19;

class Matching final : public measure::Operation {
public:
    Matching(const measure::Case& point, const Setting& setting)
        : trips_(point, setting),
          comm_(setting.comm.handle()),
          peer_(1 - setting.comm.rank()),
          posts_(point.text("queue") == posted),
          requests_(static_cast<std::size_t>(point.number("waiting")), MPI_REQUEST_NULL) {}

    void fill(std::uint64_t stamp) override { trips_.fill(stamp); }

    void run(std::int64_t repetitions) override {
        start_all(posts_);
        if (!posts_) {
            wait_for_all();
        }
        // Messages of two ranks do not overtake each other: those that wait have arrived.
        mpi::check(MPI_Sendrecv(nullptr, 0, MPI_BYTE, peer_, ready_tag, nullptr, 0, MPI_BYTE, peer_,
                                ready_tag, comm_, MPI_STATUS_IGNORE),
                   "MPI_Sendrecv");
        const double begin = machine::now();
        trips_.run(repetitions);
        seconds_ = machine::now() - begin;
        for (std::size_t i = 0; i < requests_.size(); ++i) {
            if (posts_) {
                mpi::check(MPI_Send(nullptr, 0, MPI_BYTE, peer_, waiting_tag, comm_), "MPI_Send");
            } else {
                mpi::check(
                    MPI_Recv(nullptr, 0, MPI_BYTE, peer_, waiting_tag, comm_, MPI_STATUS_IGNORE),
                    "MPI_Recv");
            }
        }
        wait_for_all();
    }

    [[nodiscard]] double own_seconds() const override { return seconds_; }

    std::uint64_t verify(std::int64_t repetitions) override { return trips_.verify(repetitions); }

private:
    void start_all(bool receives) {
        for (auto& request : requests_) {
            if (receives) {
                mpi::check(MPI_Irecv(nullptr, 0, MPI_BYTE, peer_, waiting_tag, comm_, &request),
                           "MPI_Irecv");
            } else {
                mpi::check(MPI_Isend(nullptr, 0, MPI_BYTE, peer_, waiting_tag, comm_, &request),
                           "MPI_Isend");
            }
        }
    }
    void wait_for_all() {
        mpi::check(
            MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
    }

    PingPong trips_;
    MPI_Comm comm_;
    int peer_;
    bool posts_;
    std::vector<MPI_Request> requests_;
    double seconds_ = 0;
};

std::vector<AxisChoice> axes() {
    return {{.name = "queue", .values = {std::string(posted), "unexpected"}},
            {.name = "waiting",
             .values = {"1", "8", "64", "512", "4096"},
             .open = whole_numbers(0, 1 << 16),
             .numbers = true}};
}

std::vector<measure::Case> cases(const Selection& selection, int /*ranks*/) {
    Selection swept = selection;
    swept.sizes = sizes_of(selection, sizes);
    const auto adjust = [](measure::Case& point) {
        point.clocks = measure::Clocks::root;
        point.timing = measure::TimingKind::own;
        point.operations_per_repetition = 2;
    };
    return message_cases(study_name, swept, adjust, axes());
}

}  // namespace

Study matching() {
    return {.name = study_name,
            .summary =
                "a ping-pong while other receives are posted, or other messages wait for a receive",
            .sizes = sizes,
            .axes = axes,
            .fewest_ranks = 2,
            .most_ranks = 2,
            .cases = cases,
            .prepare = make<Matching>,
            .surveyed = false};
}

}  // namespace transrank::lab::study
