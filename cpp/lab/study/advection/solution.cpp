// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/advection/solution.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::advection {
namespace {

// A record keeps no more of a field in each dimension, and no more moments.
constexpr std::int64_t most_lines = 50;
constexpr std::int64_t most_moments = 200;

std::int64_t ceiling(std::int64_t count, std::int64_t most) {
    return (count + most - 1) / most;
}

}  // namespace

double Solution::spacing() const {
    return 2 * std::numbers::pi / static_cast<double>(domain_.extents().rows);
}

/// Row and column count in this rank's block.
double Solution::exact(std::int64_t row, std::int64_t column, std::int64_t steps) const {
    const auto [first_row, first_column] = domain_.origin();
    return problem_.exact((static_cast<double>(first_row + row) + 0.5) * spacing(),
                          (static_cast<double>(first_column + column) + 0.5) * spacing(),
                          time_step_ * static_cast<double>(steps));
}

double Solution::value(std::int64_t row, std::int64_t column) const {
    return domain_.field()[static_cast<std::size_t>(domain_.block().at(row, column))];
}

/// Rows one after the other.
template <class Visit>
void Solution::each_point(const Visit& visit) const {
    for (std::int64_t i = 0; i < domain_.block().rows(); ++i) {
        for (std::int64_t j = 0; j < domain_.block().columns(); ++j) {
            visit(i, j);
        }
    }
}

void Solution::begin() const {
    each_point([&](std::int64_t i, std::int64_t j) {
        domain_.field()[static_cast<std::size_t>(domain_.block().at(i, j))] = exact(i, j, 0);
    });
}

Errors Solution::errors(std::int64_t steps) const {
    double largest = 0;
    std::array<double, 2> sums{};
    each_point([&](std::int64_t i, std::int64_t j) {
        const double error = std::abs(value(i, j) - exact(i, j, steps));
        largest = std::max(largest, error);
        sums[0] += error;
        sums[1] += error * error;
    });
    mpi::reduce(domain_.comm(), std::span(sums), MPI_SUM);
    const auto& extents = domain_.extents();
    const auto points = static_cast<double>(extents.rows * extents.columns);
    return {.largest = mpi::reduced(domain_.comm(), largest, MPI_MAX),
            .mean = sums[0] / points,
            .root_mean_square = std::sqrt(sums[1] / points)};
}

double Solution::mass() const {
    double sum = 0;
    each_point([&](std::int64_t i, std::int64_t j) { sum += value(i, j); });
    return mpi::reduced(domain_.comm(), sum, MPI_SUM) * spacing() * spacing();
}

// Each value is one rank's; the others contribute 0.
std::vector<double> Solution::gathered(std::vector<double> own) const {
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, own.data(), static_cast<int>(own.size()), MPI_DOUBLE,
                             MPI_SUM, domain_.comm().handle()),
               "MPI_Allreduce");
    return own;
}

/// `value(row, column)` of every few rows and columns of the whole grid.
template <class Value>
measure::Outcome::Field Solution::thinned(const Value& value) const {
    const auto& extents = domain_.extents();
    const auto every = ceiling(std::max(extents.rows, extents.columns), most_lines);
    measure::Outcome::Field field{
        .extents = {ceiling(extents.rows, every), ceiling(extents.columns, every)}, .values = {}};
    field.values.resize(static_cast<std::size_t>(field.extents[0] * field.extents[1]));
    const auto [first_row, first_column] = domain_.origin();
    each_point([&](std::int64_t i, std::int64_t j) {
        const auto row = first_row + i;
        const auto column = first_column + j;
        if (row % every == 0 && column % every == 0) {
            const auto place = (row / every * field.extents[1]) + (column / every);
            field.values[static_cast<std::size_t>(place)] = value(i, j);
        }
    });
    field.values = gathered(std::move(field.values));
    return field;
}

/// `value(row, column)` of the first column of the whole grid, along x.
template <class Value>
std::vector<double> Solution::profile(const Value& value) const {
    std::vector<double> values(static_cast<std::size_t>(domain_.extents().rows));
    const auto [first_row, first_column] = domain_.origin();
    for (std::int64_t i = 0; first_column == 0 && i < domain_.block().rows(); ++i) {
        values[static_cast<std::size_t>(first_row + i)] = value(i, std::int64_t{0});
    }
    return gathered(std::move(values));
}

measure::Outcome Solution::outcome(March& march, std::int64_t steps) const {
    const auto found = [&](std::int64_t row, std::int64_t column) { return value(row, column); };
    const auto analytic = [&](std::int64_t row, std::int64_t column) {
        return exact(row, column, march.steps());
    };
    begin();
    march.restart();
    const double mass_before = mass();
    measure::Outcome outcome;
    outcome.fields.emplace_back("before", thinned(found));
    std::array<std::vector<double>, 4> over_time;
    Errors last{};
    while (march.steps() < steps) {
        march.step();
        if (march.steps() % ceiling(steps, most_moments) == 0 || march.steps() == steps) {
            last = errors(march.steps());
            over_time[0].push_back(time_step_ * static_cast<double>(march.steps()));
            over_time[1].push_back(last.largest);
            over_time[2].push_back(last.mean);
            over_time[3].push_back(last.root_mean_square);
        }
    }
    outcome.fields.emplace_back("after", thinned(found));
    outcome.fields.emplace_back("exact", thinned(analytic));
    outcome.series = {{"time", over_time[0]},
                      {"error_largest", over_time[1]},
                      {"error_mean", over_time[2]},
                      {"error_root_mean_square", over_time[3]},
                      {"profile_computed", profile(found)},
                      {"profile_exact", profile(analytic)}};
    outcome.values = {{"time_step", time_step_},
                      {"steps", static_cast<double>(steps)},
                      {"error_largest", last.largest},
                      {"error_mean", last.mean},
                      {"error_root_mean_square", last.root_mean_square},
                      {"mass_before", mass_before},
                      {"mass_after", mass()}};
    return outcome;
}

}  // namespace transrank::lab::study::advection
