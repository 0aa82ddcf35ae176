// SPDX-License-Identifier: BSD-3-Clause
// What it adds to a ping-pong of 8 B between two ranks that the clock is read before and after each
// round trip, as OSU does, instead of before and after a loop of them, as IMB does: both in
// alternation. Rank 0 prints the seconds of a message in a loop, what the readings add, and the
// seconds of a reading.
#include <mpi.h>

#include <algorithm>
#include <iostream>
#include <vector>

namespace {

constexpr int round_trips = 1000;
constexpr int pairs = 400;

void round_trip(int rank) {
    double payload = 0;
    const auto send = [&] { MPI_Send(&payload, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD); };
    const auto receive = [&] {
        MPI_Recv(&payload, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    if (rank == 0) {
        send();
        receive();
    } else {
        receive();
        send();
    }
}

double message_of_loop(int rank) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < round_trips; ++i) {
        round_trip(rank);
    }
    return (MPI_Wtime() - begin) / round_trips / 2;
}

double message_of_round_trips(int rank) {
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = 0;
    for (int i = 0; i < round_trips; ++i) {
        if (rank == 0) {
            const double begin = MPI_Wtime();
            round_trip(rank);
            seconds += MPI_Wtime() - begin;
        } else {
            round_trip(rank);
        }
    }
    return seconds / round_trips / 2;
}

double reading() {
    const double begin = MPI_Wtime();
    double end = begin;
    for (int i = 0; i < round_trips; ++i) {
        end = MPI_Wtime();
    }
    return (end - begin) / round_trips;
}

double median(std::vector<double> values) {
    std::ranges::nth_element(values, values.begin() + pairs / 2);
    return values[pairs / 2];
}

}  // namespace

int main() {
    MPI_Init(nullptr, nullptr);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<double> loop;
    std::vector<double> added;
    std::vector<double> alone;
    for (int pair = 0; pair < pairs; ++pair) {
        loop.push_back(message_of_loop(rank));
        added.push_back(message_of_round_trips(rank) - loop.back());
        alone.push_back(reading());
    }
    if (rank == 0) {
        std::cout << median(loop) << ' ' << median(added) << ' ' << median(alone) << '\n';
    }
    MPI_Finalize();
}
