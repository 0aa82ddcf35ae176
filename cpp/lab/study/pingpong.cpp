// SPDX-License-Identifier: BSD-3-Clause
// Question: how long does a message take? Rank 0 sends to rank 1, which answers with as many bytes.
// Timed on rank 0 from a barrier over a batch of round trips; the number is half a round trip, as
// in IMB PingPong and osu_latency. Bytes count once.
#include "lab/study/message.hpp"
#include "lab/study/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study {
namespace {

constexpr std::string_view study_name = "pingpong";
constexpr int tag = 11;

class PingPong final : public MessageOperation {
public:
    PingPong(const measure::Case& point, const Setting& setting)
        : MessageOperation(point, setting, 1 - setting.comm.rank(), 1 - setting.comm.rank()) {}

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            if (rank() == 0) {
                send_one(i);
                receive_one(i);
            } else {
                receive_one(i);
                send_one(i);
            }
        }
    }

private:
    void send_one(std::int64_t i) {
        mpi::check(MPI_Send(send(i), bytes(), MPI_BYTE, target(), tag, comm()), "MPI_Send");
    }
    void receive_one(std::int64_t i) {
        mpi::check(
            MPI_Recv(receive(i), bytes(), MPI_BYTE, source(), tag, comm(), MPI_STATUS_IGNORE),
            "MPI_Recv");
    }
};

std::vector<measure::Case> cases(const Selection& selection, int /*ranks*/) {
    return message_cases(study_name, selection, [](measure::Case& point, std::int64_t /*bytes*/) {
        point.clocks = measure::Clocks::root;
        point.operations_per_repetition = 2;
    });
}

}  // namespace

Study pingpong() {
    return {.name = study_name,
            .summary = "half a round trip between two ranks (IMB PingPong, osu_latency)",
            .sizes = message_sizes,
            .fewest_ranks = 2,
            .most_ranks = 2,
            .cases = cases,
            .prepare = make<PingPong>};
}

}  // namespace transrank::lab::study
