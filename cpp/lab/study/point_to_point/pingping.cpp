// SPDX-License-Identifier: BSD-3-Clause
// Question: how long does a message take that meets another one? Both ranks send at once
// (MPI_Isend), receive and wait. Timed on rank 0 from a barrier over a batch, as in IMB PingPing.
// Bytes count once.
// Receives name the source and the tag, or on request any.
#include "lab/study/point_to_point/message.hpp"
#include "lab/study/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study {
namespace {

constexpr std::string_view study_name = "pingping";
constexpr int tag = 12;

class PingPing final : public MessageOperation {
public:
    PingPing(const measure::Case& point, const Setting& setting)
        : MessageOperation(point, setting, 1 - setting.comm.rank(), 1 - setting.comm.rank()),
          match_(match_of(point, source(), tag)) {}

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            MPI_Request request = MPI_REQUEST_NULL;
            mpi::check(MPI_Isend(send(i), bytes(), MPI_BYTE, target(), tag, comm(), &request),
                       "MPI_Isend");
            mpi::check(MPI_Recv(receive(i), bytes(), MPI_BYTE, match_.source, match_.tag, comm(),
                                MPI_STATUS_IGNORE),
                       "MPI_Recv");
            mpi::check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
        }
    }

private:
    Match match_;
};

std::vector<measure::Case> cases(const Selection& selection, int /*ranks*/) {
    const auto adjust = [](measure::Case& point) { point.clocks = measure::Clocks::root; };
    return message_cases(study_name, selection, adjust, {match_axis()});
}

}  // namespace

Study pingping() {
    return {.name = study_name,
            .summary = "two ranks send to each other at once (IMB PingPing)",
            .sizes = message_sizes,
            .axes = [] { return std::vector{match_axis()}; },
            .fewest_ranks = 2,
            .most_ranks = 2,
            .cases = cases,
            .prepare = make<PingPing>};
}

}  // namespace transrank::lab::study
