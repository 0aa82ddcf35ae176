// SPDX-License-Identifier: BSD-3-Clause
// What it costs that a start is told which arrays it moves:
//     mpiexec -n 2 given_arrays ROUNDS
// Two arrays are updated in turns, by two exchanges that are bound to one each, and by one exchange
// that has both of them as its sets or is given any memory; each in shared memory (any: private
// memory, beside two exchanges bound to private memory). Their rows are rewritten before each
// update, outside the time. Prints a JSON object: seconds of an
// update, the slower rank's, the median of the rounds, by `CASE WAY`.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/text/json.hpp"
#include "transrank/array/field.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/grid/ghosts.hpp"
#include "transrank/grid/grid.hpp"
#include "transrank/route/halo.hpp"
#include "world.hpp"

namespace {

using namespace transrank;
using Indices = std::vector<std::int64_t>;
constexpr int updates = 100;

/// What is moved: rows of some doubles along a route.
struct Case {
    std::string name;
    route::Route route;
    std::int64_t components;
};

/// An array whose rows are all owned or all ghosts, or a grid's with both.
struct Array {
    std::shared_ptr<array::ParArray<double>> shared = std::make_shared<array::ParArray<double>>();
    std::vector<double> own;
    std::span<double> data;

    Array(std::int64_t doubles, bool in_shared_memory) {
        if (in_shared_memory) {
            shared->resize(doubles);
            data = shared->data();
        } else {
            own.resize(static_cast<std::size_t>(doubles));
            data = own;
        }
    }
};

double seconds_of_slower(double seconds) {
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

class Ways {
    using Exchanges = std::vector<std::unique_ptr<exchange::Exchange>>;

public:
    explicit Ways(const Case& of) : of_(of) {
        for (const bool shared : {true, false}) {
            for (int i = 0; i < 2; ++i) {
                arrays_.emplace_back(of.route.destination_extent() * of.components, shared);
            }
            const auto first = shared ? 0U : 2U;
            const std::string where = shared ? "shared" : "private";
            exchange::Options options;
            options.any_memory = !shared;
            Exchanges two;
            two.push_back(bound(first));
            two.push_back(bound(first + 1));
            add("bound " + where, std::move(two), first);
            Exchanges one;
            one.push_back(std::make_unique<exchange::Exchange>(
                of.route, MPI_COMM_WORLD, fields(first),
                std::vector<std::vector<copy::Field>>(shared ? 1 : 0, fields(first + 1)), options));
            add(shared ? "sets" : "any", std::move(one), first);
        }
    }

    void measure(int round) {
        for (std::size_t i = 0; i < ways_.size(); ++i) {
            auto& way = ways_[(i + static_cast<std::size_t>(round)) % ways_.size()];
            double seconds = 0;
            for (int update = 0; update < updates; ++update) {
                seconds += run(way, static_cast<std::size_t>(update) % 2);
            }
            const double each = seconds_of_slower(seconds / updates);
            if (round > 0) {  // the first finds how stores are best made, and touches pages
                way.seconds.push_back(each);
            }
        }
    }

    void report(lab::text::JsonWriter& json) {
        for (auto& way : ways_) {
            const auto middle = way.seconds.begin() + (std::ssize(way.seconds) / 2);
            std::ranges::nth_element(way.seconds, middle);
            json.key(of_.name + " " + way.name).value(*middle);
        }
    }

private:
    struct Way {
        std::string name;
        Exchanges exchanges;
        std::size_t first;
        std::vector<double> seconds = {};
    };

    void add(std::string name, Exchanges exchanges, std::size_t first) {
        ways_.push_back(
            {.name = std::move(name), .exchanges = std::move(exchanges), .first = first});
    }
    std::vector<copy::Field> fields(std::size_t array) {
        return {array::field(arrays_[array].data, of_.components)};
    }
    std::unique_ptr<exchange::Exchange> bound(std::size_t array) {
        return std::make_unique<exchange::Exchange>(of_.route, MPI_COMM_WORLD, fields(array));
    }

    // Every line of what may be sent is written by its owner.
    double run(Way& way, std::size_t which) {
        auto& array = arrays_[way.first + which];
        const auto owned =
            array.data.first(static_cast<std::size_t>(of_.route.source_extent() * of_.components));
        for (std::size_t i = 0; i < owned.size(); i += 8) {
            owned[i] += 1;
        }
        const auto given = fields(way.first + which);
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        if (way.exchanges.size() == 2) {
            way.exchanges[which]->run();
        } else {
            way.exchanges.front()->run_with(given);
        }
        return MPI_Wtime() - begin;
    }

    const Case& of_;
    std::vector<Array> arrays_;
    std::vector<Way> ways_;
};

/// Rows of the other rank chosen at random become ghosts behind this rank's own ones.
route::Route scattered(const World& world, std::int64_t ghosts) {
    const auto rows = 2 * ghosts;
    Indices wanted(static_cast<std::size_t>(rows));
    std::iota(wanted.begin(), wanted.end(), (world.rank + 1) % world.size * rows);
    std::ranges::shuffle(wanted, std::mt19937_64(7));
    wanted.resize(static_cast<std::size_t>(ghosts));
    std::ranges::sort(wanted);
    return grid::Ghosts(MPI_COMM_WORLD, rows, wanted).route();
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        const World world;
        const int rounds = argc > 1 ? std::stoi(argv[1]) : 20;
        const grid::Grid cube(MPI_COMM_WORLD, {32 * world.size, 32, 32}, {.halo = 1});
        const Case cases[]{
            {"16 rows of 8 B", scattered(world, 16), 1},
            {"4612 rows of 8 B", scattered(world, 4612), 1},
            {"4612 rows of 40 B", scattered(world, 4612), 5},
            {"halo of 32^3", route::halo(world.rank, world.size, cube.layout()), 1},
        };
        lab::text::JsonWriter json;
        json.begin_object();
        for (const auto& each : cases) {
            Ways ways(each);
            for (int round = 0; round <= rounds; ++round) {
                ways.measure(round);
            }
            ways.report(json);
        }
        json.end_object();
        if (world.rank == 0) {
            std::cout << json.text() << '\n';
        }
    }
    MPI_Finalize();
}
