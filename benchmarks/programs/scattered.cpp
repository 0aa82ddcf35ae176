// SPDX-License-Identifier: BSD-3-Clause
// An update of ghosts that are rows chosen at random, by `auto` and by each way within a node, in
// turns:
//     mpiexec -n 2 scattered GHOSTS VDIM ROUNDS
// Rows of VDIM doubles, 1 or 6. Unmodified: nothing but the update is timed. Rewritten: before it
// the owner rewrites its array, and the reader sums its ghosts within the time. Prints a JSON
// object: seconds of the slowest rank (medians of the rounds) by `ORDER MODE WAY`, those of binding
// by `bind WAY`, and what explain() says.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/text/json.hpp"
#include "transrank/array/array_transformer.hpp"
#include "transrank/exchange/exchange.hpp"

namespace {

using namespace transrank;
using Indices = std::vector<std::int64_t>;

struct Way {
    const char* name;
    const char* transport;
    std::optional<std::int64_t> push_below_bytes;
};
constexpr std::array<Way, 4> ways{{{"auto", "auto", std::nullopt},
                                   {"pulled", "shared-direct", 0},
                                   {"pushed", "shared-direct", 1 << 20U},
                                   {"staged", "shared-staged", std::nullopt}}};
constexpr std::int64_t rows_per_ghost = 2;
// The first update after another way's finds its arrays in the caches as that way left them.
constexpr int updates_in_a_row = 4;
// Large moves first find out how they are stored best.
constexpr int warm_up = 10;

struct World {
    int rank = 0;
    int size = 1;
    World() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
};

/// Different rows of the next rank, chosen at random, in their own order or at random.
Indices ghosts_of(const World& world, std::int64_t count, bool shuffled) {
    Indices rows(static_cast<std::size_t>(count * rows_per_ghost));
    std::iota(rows.begin(), rows.end(), (world.rank + 1) % world.size * std::ssize(rows));
    std::ranges::shuffle(rows, std::mt19937_64(7));
    rows.resize(static_cast<std::size_t>(count));
    if (!shuffled) {
        std::ranges::sort(rows);
    }
    return rows;
}

double seconds_of_slowest(double seconds) {
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + (std::ssize(values) / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

template <std::int64_t vdim>
class Case {
public:
    Case(const World& world, std::int64_t count, bool shuffled)
        : world_(world),
          name_(shuffled ? "shuffled" : "ascending"),
          ghosts_(ghosts_of(world, count, shuffled)) {
        owned_->resize(count * rows_per_ghost);
        rewrite();
        first_.set_father_son(owned_, arriving_);
        first_.create_global_mapping();
        first_.create_ghost_mapping(ghosts_);
        for (const auto& way : ways) {
            exchange::Options options;
            options.transport = way.transport;
            options.push_below_bytes = way.push_below_bytes;
            MPI_Barrier(MPI_COMM_WORLD);
            const double begin = MPI_Wtime();
            exchanges_.push_back(std::make_unique<exchange::Exchange>(first_.bind_pull(options)));
            numbers_["bind " + std::string(way.name)] = seconds_of_slowest(MPI_Wtime() - begin);
        }
    }

    void measure(int rounds) {
        for (const auto& exchange : exchanges_) {
            for (int update = 0; update < warm_up; ++update) {
                exchange->run();
            }
        }
        for (int round = 0; round < rounds; ++round) {
            for (std::size_t i = 0; i < ways.size(); ++i) {
                const auto way = (i + static_cast<std::size_t>(round)) % ways.size();
                measure(way, false);
                measure(way, true);
            }
        }
    }

    void report(std::map<std::string, double>& numbers, std::string& explained) const {
        for (const auto& [name, all] : seconds_) {
            numbers[name_ + " " + name] = median(all);
        }
        for (const auto& [name, seconds] : numbers_) {
            numbers[name_ + " " + name] = seconds;
        }
        explained += exchanges_.front()->explain();
    }

private:
    void rewrite() {
        const auto data = owned_->data();
        std::iota(data.begin(), data.end(),
                  static_cast<double>(world_.rank * std::ssize(data)) + ++added_);
    }

    void check() const {
        for (std::size_t i = 0; i < ghosts_.size(); ++i) {
            if (arriving_->data()[i * vdim] != static_cast<double>(ghosts_[i] * vdim) + added_) {
                throw std::logic_error("ghost " + std::to_string(i) + " is wrong");
            }
        }
    }

    void measure(std::size_t way, bool rewritten) {
        for (int update = 0; update < updates_in_a_row; ++update) {
            if (rewritten) {
                rewrite();
            }
            MPI_Barrier(MPI_COMM_WORLD);
            const double begin = MPI_Wtime();
            exchanges_[way]->run();
            if (rewritten) {
                const auto data = arriving_->data();
                sum_ = std::accumulate(data.begin(), data.end(), 0.0);
            }
            const double seconds = seconds_of_slowest(MPI_Wtime() - begin);
            if (update > 0) {
                seconds_[std::string(rewritten ? "rewritten " : "unmodified ") + ways[way].name]
                    .push_back(seconds);
            }
        }
        check();
    }

    using Array = array::ParArray<double, vdim>;
    const World& world_;
    std::string name_;
    Indices ghosts_;
    std::shared_ptr<Array> owned_ = std::make_shared<Array>();
    std::shared_ptr<Array> arriving_ = std::make_shared<Array>();
    array::ArrayTransformer<double, vdim> first_{MPI_COMM_WORLD};
    std::vector<std::unique_ptr<exchange::Exchange>> exchanges_;
    std::map<std::string, std::vector<double>> seconds_;
    std::map<std::string, double> numbers_;
    double added_ = 0;
    volatile double sum_ = 0;
};

template <std::int64_t vdim>
void measure(const World& world, std::int64_t count, int rounds) {
    std::map<std::string, double> numbers;
    std::string explained;
    for (const bool shuffled : {false, true}) {
        Case<vdim> one(world, count, shuffled);
        one.measure(rounds);
        one.report(numbers, explained);
    }
    lab::text::JsonWriter json;
    json.begin_object();
    for (const auto& [name, value] : numbers) {
        json.key(name).value(value);
    }
    json.key("explain").value(explained);
    json.end_object();
    if (world.rank == 0) {
        std::cout << json.text() << '\n';
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const World world;
    const std::vector<std::string> words(argv + 1, argv + argc);
    const auto ghosts = std::stoll(words.at(0));
    const int rounds = std::stoi(words.at(2));
    if (words.at(1) == "1") {
        measure<1>(world, ghosts, rounds);
    } else {
        measure<6>(world, ghosts, rounds);
    }
    MPI_Finalize();
}
