// SPDX-License-Identifier: BSD-3-Clause
// Question: what does a step of a ring cost? Every rank sends to its right and receives from its
// left neighbor by MPI_Sendrecv, periodic. Timed from a barrier over a batch without further
// synchronisation; the number is the slowest rank's, as IMB's t_max. Bytes count twice, as in IMB.
#include "lab/study/point_to_point/message.hpp"
#include "lab/study/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study {
namespace {

constexpr std::string_view study_name = "sendrecv";
constexpr int tag = 13;

class Ring final : public MessageOperation {
public:
    Ring(const measure::Case& point, const Setting& setting)
        : MessageOperation(point, setting, (setting.comm.rank() + 1) % setting.comm.size(),
                           (setting.comm.rank() + setting.comm.size() - 1) % setting.comm.size()) {}

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            mpi::check(MPI_Sendrecv(send(i), bytes(), MPI_BYTE, target(), tag, receive(i), bytes(),
                                    MPI_BYTE, source(), tag, comm(), MPI_STATUS_IGNORE),
                       "MPI_Sendrecv");
        }
    }
};

std::vector<measure::Case> cases(const Selection& selection, int /*ranks*/) {
    return message_cases(study_name, selection,
                         [](measure::Case& point) { point.bytes_counted *= 2; });
}

}  // namespace

Study sendrecv() {
    return {.name = study_name,
            .summary =
                "each rank of a ring sends right and receives from the left by MPI_Sendrecv (IMB "
                "Sendrecv)",
            .sizes = message_sizes,
            .cases = cases,
            .prepare = make<Ring>};
}

}  // namespace transrank::lab::study
