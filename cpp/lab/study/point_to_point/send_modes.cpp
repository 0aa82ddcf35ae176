// SPDX-License-Identifier: BSD-3-Clause
// Question: what does the choice of the send routine cost? A ping-pong by MPI_Send, MPI_Bsend,
// MPI_Ssend, MPI_Isend with MPI_Wait, and a persistent send, each received by MPI_Recv: timed on
// rank 0 from a barrier over a batch of round trips, the number is half a round trip. Beside them
// both ranks at once by MPI_Sendrecv, whose number is one exchange. Bytes count once, per
// direction. The buffer of MPI_Bsend is attached and detached outside the clock. At least 1000
// repetitions of each.
#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "lab/study/named.hpp"
#include "lab/study/point_to_point/attached_buffer.hpp"
#include "lab/study/point_to_point/round_trips.hpp"
#include "lab/study/requests.hpp"
#include "lab/study/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study {
namespace {

constexpr std::string_view study_name = "send-modes";
constexpr int both_ways_tag = 15;
constexpr std::int64_t least_repetitions = 1000;

// 47 sizes: 10^(5 i / 49) for i = 0 ... 49, rounded, repeated ones once.
constexpr std::string_view sizes =
    "1,2,3,4,5,7,8,10,13,17,21,27,34,43,54,69,87,110,139,176,222,281,356,450,569,720,910,1151,1456,"
    "1842,2330,2947,3728,4715,5964,7543,9541,12068,15264,19307,24421,30888,39069,49417,62506,79060,"
    "100000";

class Buffered final : public RoundTrips<Buffered> {
public:
    Buffered(const measure::Case& point, const Setting& setting)
        : RoundTrips(point, setting),
          buffer_(AttachedBuffer::share(
              std::min(setting.largest_bytes, AttachedBuffer::most_message_bytes))) {}
    void send_one(std::int64_t i) {
        mpi::check(MPI_Bsend(send(i), bytes(), MPI_BYTE, target(), tag, comm()), "MPI_Bsend");
    }

private:
    std::shared_ptr<AttachedBuffer> buffer_;
};

class Synchronous final : public RoundTrips<Synchronous> {
public:
    using RoundTrips::RoundTrips;
    void send_one(std::int64_t i) {
        mpi::check(MPI_Ssend(send(i), bytes(), MPI_BYTE, target(), tag, comm()), "MPI_Ssend");
    }
};

class Immediate final : public RoundTrips<Immediate> {
public:
    using RoundTrips::RoundTrips;
    void send_one(std::int64_t i) {
        MPI_Request request = MPI_REQUEST_NULL;
        mpi::check(MPI_Isend(send(i), bytes(), MPI_BYTE, target(), tag, comm(), &request),
                   "MPI_Isend");
        mpi::check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    }
};

class Persistent final : public RoundTrips<Persistent> {
public:
    Persistent(const measure::Case& point, const Setting& setting) : RoundTrips(point, setting) {
        for (std::int64_t slot = 0; slot < slots(); ++slot) {
            mpi::check(MPI_Send_init(send(slot), bytes(), MPI_BYTE, target(), tag, comm(),
                                     requests_.add()),
                       "MPI_Send_init");
        }
    }
    void send_one(std::int64_t i) {
        const auto slot = static_cast<std::size_t>(i % slots());
        requests_.start(slot);
        requests_.wait(slot);
    }

private:
    Requests requests_;
};

class BothWays final : public MessageOperation {
public:
    BothWays(const measure::Case& point, const Setting& setting)
        : MessageOperation(point, setting, 1 - setting.comm.rank(), 1 - setting.comm.rank()) {}

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            mpi::check(
                MPI_Sendrecv(send(i), bytes(), MPI_BYTE, target(), both_ways_tag, receive(i),
                             bytes(), MPI_BYTE, source(), both_ways_tag, comm(), MPI_STATUS_IGNORE),
                "MPI_Sendrecv");
        }
    }
};

struct Routine {
    std::string_view name;
    std::unique_ptr<measure::Operation> (*make)(const measure::Case& point, const Setting& setting);
    int operations_per_repetition = 2;
    std::int64_t most_bytes = std::numeric_limits<int>::max();
};
constexpr std::array routines{
    Routine{.name = "send", .make = make<PingPong>},
    Routine{
        .name = "bsend", .make = make<Buffered>, .most_bytes = AttachedBuffer::most_message_bytes},
    Routine{.name = "ssend", .make = make<Synchronous>},
    Routine{.name = "isend", .make = make<Immediate>},
    Routine{.name = "persistent", .make = make<Persistent>},
    Routine{.name = "sendrecv", .make = make<BothWays>, .operations_per_repetition = 1},
};

std::vector<AxisChoice> axes() {
    return {{.name = "routine", .values = names_of(routines), .quick = {"send", "bsend"}}};
}

std::vector<measure::Case> cases(const Selection& selection, int /*ranks*/) {
    Selection swept = selection;
    swept.sizes = sizes_of(selection, sizes);
    const auto adjust = [](measure::Case& point) {
        const auto& routine = named(routines, point.text("routine"), "routine");
        point.clocks = measure::Clocks::root;
        point.operations_per_repetition = routine.operations_per_repetition;
        point.least_operations = least_repetitions * routine.operations_per_repetition;
        if (point.number("bytes") > routine.most_bytes) {
            point.skip_reason = "one message of this routine holds at most " +
                                std::to_string(routine.most_bytes) + " bytes here";
        }
    };
    return message_cases(study_name, swept, adjust, axes());
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    return named(routines, point.text("routine"), "routine").make(point, setting);
}

}  // namespace

Study send_modes() {
    return {.name = study_name,
            .summary =
                "a ping-pong with different MPI send routines, and MPI_Sendrecv in both directions",
            .sizes = sizes,
            .axes = axes,
            .fewest_ranks = 2,
            .most_ranks = 2,
            .cases = cases,
            .prepare = prepare};
}

}  // namespace transrank::lab::study
