// SPDX-License-Identifier: BSD-3-Clause
// How much slower are MPI's calls through a library loaded before it? Two ranks take turns, in one
// launch, with blocks of calls through that library (MPI_Allreduce) and past it (PMPI_Allreduce).
// Rank 0 prints a line per case: its name as transrank-run has it, but for the unit of the size,
// and the median over the pairs of blocks of how many times as long a call takes.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <span>
#include <string>
#include <vector>

namespace {

constexpr double block_seconds = 1e-3;

struct Calls {
    decltype(MPI_Send)* send;
    decltype(MPI_Recv)* receive;
    decltype(MPI_Allreduce)* allreduce;
    decltype(MPI_Alltoall)* alltoall;
};

constexpr Calls through{MPI_Send, MPI_Recv, MPI_Allreduce, MPI_Alltoall};
constexpr Calls past{PMPI_Send, PMPI_Recv, PMPI_Allreduce, PMPI_Alltoall};

using Operation = std::function<void(const Calls&)>;

class Pair {
public:
    Pair(int rank, int bytes, int pairs)
        : rank_(rank),
          bytes_(bytes),
          pairs_(pairs),
          send_(2 * static_cast<std::size_t>(bytes)),
          receive_(send_.size()) {}

    void print(const std::string& name, const Operation& operation) const {
        for (int i = 0; i < 100; ++i) {
            operation(past);
        }
        int calls = 1;
        if (rank_ == 0) {
            calls = std::max(1, static_cast<int>(block_seconds / (seconds(operation, past, 10))));
        } else {
            seconds(operation, past, 10);
        }
        PMPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
        std::vector<double> ratios;
        for (int pair = 0; pair < pairs_; ++pair) {
            const bool swapped = pair % 2 == 1;
            const double first = seconds(operation, swapped ? through : past, calls);
            const double second = seconds(operation, swapped ? past : through, calls);
            ratios.push_back(swapped ? first / second : second / first);
        }
        std::ranges::nth_element(ratios, ratios.begin() + pairs_ / 2);
        if (rank_ == 0) {
            std::cout << name << ' ' << ratios[ratios.size() / 2] << '\n';
        }
    }

    void round_trip(const Calls& calls) {
        const auto send = [&] {
            calls.send(send_.data(), bytes_, MPI_BYTE, 1 - rank_, 0, MPI_COMM_WORLD);
        };
        const auto receive = [&] {
            calls.receive(receive_.data(), bytes_, MPI_BYTE, 1 - rank_, 0, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE);
        };
        if (rank_ == 0) {
            send();
            receive();
        } else {
            receive();
            send();
        }
    }

    void allreduce(const Calls& calls) {
        const int count = bytes_ / static_cast<int>(sizeof(float));
        calls.allreduce(send_.data(), receive_.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    }

    void alltoall(const Calls& calls) {
        calls.alltoall(send_.data(), bytes_, MPI_BYTE, receive_.data(), bytes_, MPI_BYTE,
                       MPI_COMM_WORLD);
    }

private:
    static double seconds(const Operation& operation, const Calls& calls, int count) {
        PMPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        for (int i = 0; i < count; ++i) {
            operation(calls);
        }
        return (MPI_Wtime() - begin) / count;
    }

    int rank_;
    int bytes_;
    int pairs_;
    std::vector<char> send_;
    std::vector<char> receive_;
};

}  // namespace

/// Arguments: how many pairs of blocks, then sizes in bytes.
int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const std::span words(argv, static_cast<std::size_t>(argc));
    for (const char* const size : words.subspan(2)) {
        Pair pair(rank, std::atoi(size), std::atoi(words[1]));
        const std::string end = std::string("/") + size;
        pair.print("pingpong" + end, [&](const Calls& calls) { pair.round_trip(calls); });
        pair.print("collectives/allreduce/blocking/float" + end,
                   [&](const Calls& calls) { pair.allreduce(calls); });
        pair.print("collectives/alltoall/blocking" + end,
                   [&](const Calls& calls) { pair.alltoall(calls); });
    }
    MPI_Finalize();
}
