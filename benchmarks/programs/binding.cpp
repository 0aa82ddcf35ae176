// SPDX-License-Identifier: BSD-3-Clause
// The set-up of a ghost update by the library and by hand, in turns:
//     mpiexec -n 2 binding first            the first exchange of a process
//     mpiexec -n 2 binding GHOSTS ROUNDS    one like those before it
// Prints a JSON object: seconds of the slowest rank (medians of the rounds), and the collective
// calls of MPI, which are counted by its profiling interface.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../tests/cpp/exchange/counted_calls.hpp"
#include "lab/text/json.hpp"
#include "transrank/array/par_array.hpp"
#include "transrank/discovery/ghost.hpp"
#include "transrank/exchange/exchange.hpp"
#include "world.hpp"

extern "C" {
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
    return testing::counted(PMPI_Comm_dup(comm, made));
}
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
    return testing::counted(PMPI_Comm_idup(comm, made, request));
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
    return testing::counted(PMPI_Comm_split(comm, color, key, made));
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
    return testing::counted(PMPI_Comm_split_type(comm, type, key, info, made));
}
}

namespace {

using namespace transrank;
using Indices = std::vector<std::int64_t>;

constexpr std::int64_t width = 5;
using Array = array::ParArray<double, width>;

/// Rows that each rank owns where it gets `ghosts` of them from the next rank, none beside another.
std::int64_t rows_for(std::int64_t ghosts) {
    return 4 * ghosts;
}

Indices ghosts_of(const World& world, std::int64_t count) {
    std::mt19937_64 random(7);
    std::uniform_int_distribution<std::int64_t> gap(2, 4);
    std::int64_t index = (world.rank + 1) % world.size * rows_for(count);
    Indices ghosts(static_cast<std::size_t>(count));
    for (auto& ghost : ghosts) {
        ghost = index;
        index += gap(random);
    }
    return ghosts;
}

std::vector<double> values_of(std::int64_t first_row, std::int64_t rows) {
    std::vector<double> values(static_cast<std::size_t>(rows * width));
    std::iota(values.begin(), values.end(), static_cast<double>(first_row * width));
    return values;
}

/// The owners are asked by an all-to-all of the counts and one of the indices; what goes to a rank
/// is packed.
class ByHand {
public:
    ByHand(const World& world, std::span<const std::int64_t> ghosts, std::int64_t rows,
           double* arriving)
        : first_row_(world.rank * rows) {
        const auto size = static_cast<std::size_t>(world.size);
        std::vector<int> wanted(size, 0);
        for (const auto ghost : ghosts) {
            ++wanted[static_cast<std::size_t>(ghost / rows)];
        }
        std::vector<int> given(size);
        MPI_Alltoall(wanted.data(), 1, MPI_INT, given.data(), 1, MPI_INT, MPI_COMM_WORLD);
        const auto wanted_begins = begins(wanted);
        const auto given_begins = begins(given);
        rows_given_.resize(static_cast<std::size_t>(given_begins.back() + given.back()));
        MPI_Alltoallv(ghosts.data(), wanted.data(), wanted_begins.data(), MPI_INT64_T,
                      rows_given_.data(), given.data(), given_begins.data(), MPI_INT64_T,
                      MPI_COMM_WORLD);
        for (auto& row : rows_given_) {
            row -= first_row_;
        }
        packed_ = std::make_unique_for_overwrite<double[]>(rows_given_.size() * width);
        for (std::size_t peer = 0; peer < size; ++peer) {
            if (wanted[peer] > 0) {
                MPI_Recv_init(arriving + (wanted_begins[peer] * width), wanted[peer] * int{width},
                              MPI_DOUBLE, static_cast<int>(peer), 1, MPI_COMM_WORLD,
                              &requests_.emplace_back());
            }
            if (given[peer] > 0) {
                MPI_Send_init(packed_.get() + (given_begins[peer] * width),
                              given[peer] * int{width}, MPI_DOUBLE, static_cast<int>(peer), 1,
                              MPI_COMM_WORLD, &requests_.emplace_back());
            }
        }
    }
    ByHand(const ByHand&) = delete;
    ByHand& operator=(const ByHand&) = delete;
    ~ByHand() {
        for (auto& request : requests_) {
            MPI_Request_free(&request);
        }
    }

    void update(const double* owned) {
        for (std::size_t i = 0; i < rows_given_.size(); ++i) {
            std::copy_n(owned + (rows_given_[i] * width), width, packed_.get() + (i * width));
        }
        MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    }

private:
    static std::vector<int> begins(const std::vector<int>& counts) {
        std::vector<int> sums(counts.size());
        std::exclusive_scan(counts.begin(), counts.end(), sums.begin(), 0);
        return sums;
    }

    std::int64_t first_row_;
    Indices rows_given_;
    std::unique_ptr<double[]> packed_;
    std::vector<MPI_Request> requests_;
};

/// Seconds of the slowest rank, and the collective calls of this one.
struct Cost {
    double seconds;
    int calls;
};

Cost cost_of(const std::function<void()>& work) {
    PMPI_Barrier(MPI_COMM_WORLD);
    const int calls_before = testing::collective_calls;
    const double begin = MPI_Wtime();
    work();
    double seconds = MPI_Wtime() - begin;
    const int calls = testing::collective_calls - calls_before;
    PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return {.seconds = seconds, .calls = calls};
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + (std::ssize(values) / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

void check_arrived(std::span<const double> rows, const Indices& ghosts) {
    for (std::size_t i = 0; i < ghosts.size(); ++i) {
        if (rows[i * width] != static_cast<double>(ghosts[i] * width)) {
            throw std::logic_error("ghost " + std::to_string(i) + " is wrong");
        }
    }
}

void print(const World& world, const std::map<std::string, double>& numbers) {
    lab::text::JsonWriter json;
    json.begin_object();
    for (const auto& [name, value] : numbers) {
        json.key(name).value(value);
    }
    json.end_object();
    if (world.rank == 0) {
        std::cout << json.text() << '\n';
    }
}

/// Each rank gets one row from the next; nothing of the library was used before.
void measure_first(const World& world) {
    const std::vector<route::Segment> rows{{.source = 0, .destination = 0, .length = 1}};
    const route::Route route(
        world.rank, world.size, 1, 1,
        {{.peer = (world.rank + world.size - 1) % world.size, .segments = rows}},
        {{.peer = (world.rank + 1) % world.size, .segments = rows}});
    Array from;
    Array to;
    from.resize(1);
    to.resize(1);
    const auto bytes = width * std::int64_t{sizeof(double)};
    const copy::Field field{.source = from.bytes().data(),
                            .source_bytes = bytes,
                            .destination = to.bytes().data(),
                            .destination_bytes = bytes,
                            .unit_bytes = bytes,
                            .scalar = copy::Scalar::float64};
    std::unique_ptr<exchange::Exchange> exchange;
    const auto cost = cost_of([&] {
        exchange = std::make_unique<exchange::Exchange>(route, MPI_COMM_WORLD, std::vector{field});
    });
    exchange->run();
    print(world, {{"bind", cost.seconds}, {"calls", cost.calls}});
}

/// Owned rows and ghosts as an exchange has them.
std::vector<copy::Field> field_of(std::span<double> owned, std::span<double> arriving) {
    return {{.source = std::as_bytes(owned).data(),
             .source_bytes = std::ssize(owned) * std::int64_t{sizeof(double)},
             .destination = std::as_writable_bytes(arriving).data(),
             .destination_bytes = std::ssize(arriving) * std::int64_t{sizeof(double)},
             .unit_bytes = width * std::int64_t{sizeof(double)},
             .scalar = copy::Scalar::float64}};
}

void measure(const World& world, std::int64_t count, int rounds) {
    const auto rows = rows_for(count);
    const auto ghosts = ghosts_of(world, count);
    const mpi::Communicator comm(MPI_COMM_WORLD);
    const auto owners = layout::Distribution::even(rows * world.size, world.size);
    Array shared_owned;
    Array shared_arriving;
    shared_owned.resize(rows);
    shared_arriving.resize(count);
    auto own_owned = values_of(world.rank * rows, rows);
    std::ranges::copy(own_owned, shared_owned.data().begin());
    std::vector<double> own_arriving(static_cast<std::size_t>(count * width));
    const auto shared = field_of(shared_owned.data(), shared_arriving.data());
    const auto own = field_of(own_owned, own_arriving);
    std::optional<route::Route> route;
    std::optional<exchange::Exchange> bound;
    std::optional<ByHand> by_hand;
    const auto map = [&] {
        route = discovery::ghost_pull(comm, owners, ghosts, {.begin = 0, .extent = count});
    };
    const std::array<std::pair<std::string, std::function<void()>>, 4> ways{
        {{"mapping and bind",
          [&] {
              map();
              bound.emplace(*route, MPI_COMM_WORLD, shared);
          }},
         {"mapping and bind, own arrays",
          [&] {
              map();
              bound.emplace(*route, MPI_COMM_WORLD, own);
          }},
         {"bind", [&] { bound.emplace(*route, MPI_COMM_WORLD, shared); }},
         {"by hand", [&] { by_hand.emplace(world, ghosts, rows, own_arriving.data()); }}}};
    std::map<std::string, std::vector<double>> seconds;
    std::map<std::string, double> numbers;
    for (int round = -1; round < rounds; ++round) {
        for (const auto& [name, work] : ways) {
            const auto cost = cost_of(work);
            if (round >= 0) {
                seconds[name].push_back(cost.seconds);
                numbers["calls, " + name] = cost.calls;
            }
            std::ranges::fill(own_arriving, 0);
            std::ranges::fill(shared_arriving.data(), 0);
            if (by_hand) {
                by_hand->update(own_owned.data());
            } else {
                bound->run();
            }
            const bool is_shared = name == "bind" || name == "mapping and bind";
            check_arrived(is_shared ? shared_arriving.data() : std::span(own_arriving), ghosts);
            // What a way has made is given back before the clock runs.
            by_hand.reset();
            bound.reset();
        }
    }
    for (const auto& [name, all] : seconds) {
        numbers[name] = median(all);
    }
    print(world, numbers);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const World world;
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.at(0) == "first") {
        measure_first(world);
    } else {
        measure(world, std::stoll(words.at(0)), std::stoi(words.at(1)));
    }
    MPI_Finalize();
}
