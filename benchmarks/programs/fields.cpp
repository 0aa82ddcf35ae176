// SPDX-License-Identifier: BSD-3-Clause
// Halos of several fields of 256x256 doubles, by one exchange of all fields and by an exchange for
// each field, one after the other, in turns:
//     mpiexec -n 2 fields FIELDS ROUNDS
// The halo of the two neighbors of a ring is a row or a column on each side, of arrays of transrank
// (own) or of the user. Before each update the owner rewrites what is sent (edges), or the whole
// arrays (all), and the reader sums its halo within the time. Prints a JSON object: seconds of the
// slower rank, the 10th percentile of the rounds, by `CASE WAY`.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/text/json.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/grid/grid.hpp"
#include "world.hpp"

namespace {

using namespace transrank;

constexpr std::int64_t side = 256;
constexpr int updates_in_a_row = 4;  // the first finds the caches as the other way left them
constexpr std::array<const char*, 2> ways{"one", "each"};

double seconds_of_slower(double seconds) {
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

double tenth_percentile(std::vector<double> values) {
    const auto place = values.begin() + (std::ssize(values) / 10);
    std::ranges::nth_element(values, place);
    return *place;
}

grid::Grid divided(const World& world, bool columns) {
    const std::vector<std::int64_t> shape{columns ? side : side * world.size,
                                          columns ? side * world.size : side};
    return {MPI_COMM_WORLD,
            shape,
            {.halo = columns ? grid::PerAxis<grid::Width>{0, 1} : grid::PerAxis<grid::Width>{1, 0},
             .periodic = {!columns, columns},
             .parts = columns ? std::vector{1, world.size} : std::vector{world.size, 1}}};
}

/// Rows or columns of arrays that are transrank's or the user's.
class Case {
public:
    Case(const World& world, int fields, bool columns, bool own)
        : world_(world), columns_(columns), grid_(divided(world, columns)) {
        std::vector<copy::Field> all;
        for (int i = 0; i < fields; ++i) {
            if (own) {
                shared_.push_back(grid_.array<double>());
                arrays_.push_back(shared_.back().data());
            } else {
                arrays_.push_back(private_.emplace_back(static_cast<std::size_t>(grid_.cells())));
            }
            all.push_back(own ? array::field(shared_.back()) : array::field(arrays_.back(), 1));
            each_.push_back(std::make_unique<exchange::Exchange>(grid_.halo(all.back())));
        }
        one_ = std::make_unique<exchange::Exchange>(
            grid_.halo(std::vector<std::vector<copy::Field>>{all}));
    }

    /// Both ways in turns.
    void measure(bool everything, int rounds, std::map<std::string, std::vector<double>>& found) {
        for (int round = 0; round <= rounds; ++round) {
            for (std::size_t i = 0; i < ways.size(); ++i) {
                const auto way = (i + static_cast<std::size_t>(round)) % ways.size();
                for (int update = 0; update < updates_in_a_row; ++update) {
                    const auto seconds = run(way == 0, everything);
                    if (round > 0 && update > 0) {
                        found[ways.at(way)].push_back(seconds);
                    }
                }
            }
        }
    }

private:
    [[nodiscard]] std::size_t at(std::int64_t line, std::int64_t cell) const {
        return static_cast<std::size_t>(columns_ ? grid_.at(cell, line) : grid_.at(line, cell));
    }

    void rewrite(bool everything) {
        ++step_;
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            if (everything) {
                std::ranges::fill(arrays_[i], value(world_.rank, i));
                continue;
            }
            for (std::int64_t cell = 0; cell < side; ++cell) {
                arrays_[i][at(0, cell)] = arrays_[i][at(side - 1, cell)] = value(world_.rank, i);
            }
        }
    }

    [[nodiscard]] double value(int rank, std::size_t field) const {
        return step_ + (100.0 * rank) + static_cast<double>(field);
    }

    double run(bool at_once, bool everything) {
        rewrite(everything);
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        if (at_once) {
            one_->run();
        } else {
            for (const auto& exchange : each_) {
                exchange->run();
            }
        }
        double sum = 0;
        for (const auto& array : arrays_) {
            for (std::int64_t cell = 0; cell < side; ++cell) {
                sum += array[at(-1, cell)] + array[at(side, cell)];
            }
        }
        const double seconds = MPI_Wtime() - begin;
        double right = 0;
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            right += 2 * side * value((world_.rank + 1) % world_.size, i);
        }
        if (sum != right) {
            throw std::logic_error("a halo is wrong");
        }
        return seconds_of_slower(seconds);
    }

    const World& world_;
    bool columns_;
    grid::Grid grid_;
    std::vector<array::ParArray<double, 1>> shared_;
    std::vector<std::vector<double>> private_;
    std::vector<std::span<double>> arrays_;
    std::vector<std::unique_ptr<exchange::Exchange>> each_;
    std::unique_ptr<exchange::Exchange> one_;
    double step_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        const World world;
        const std::vector<std::string> words(argv + 1, argv + argc);
        lab::text::JsonWriter json;
        json.begin_object();
        for (const bool columns : {false, true}) {
            for (const bool own : {false, true}) {
                Case of(world, std::stoi(words.at(0)), columns, own);
                for (const bool everything : {false, true}) {
                    std::map<std::string, std::vector<double>> found;
                    of.measure(everything, std::stoi(words.at(1)), found);
                    const auto name = std::string(columns ? "columns" : "rows") +
                                      (own ? ", own" : ", user's") +
                                      (everything ? ", all" : ", edges");
                    for (const auto& [way, seconds] : found) {
                        json.key(name + " " + way).value(tenth_percentile(seconds));
                    }
                }
            }
        }
        json.end_object();
        if (world.rank == 0) {
            std::cout << json.text() << '\n';
        }
    }
    MPI_Finalize();
}
