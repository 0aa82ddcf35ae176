// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/advection/wave.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "lab/measure/payload.hpp"

namespace transrank::lab::study::advection {
namespace {

constexpr double mean = 2;
constexpr double nowhere = -7;

// What rounding may add up to: some bits of every step.
double tolerance(std::int64_t steps) {
    return 1e-13 * static_cast<double>(1000 + steps);
}

}  // namespace

Wave::Wave(const Domain& domain, std::uint64_t stamp)
    : domain_(domain), phase_(static_cast<double>(stamp % 1021)) {}

// The expected value at each owned point: Im(G^steps exp(i (phase + row and column phases))).
template <class Use>
void Wave::for_each(std::int64_t steps, const Use& use) const {
    const auto& extents = domain_.extents();
    const auto& block = domain_.block();
    const double row_step = 2 * std::numbers::pi / static_cast<double>(extents.rows);
    const double column_step = 2 * std::numbers::pi / static_cast<double>(extents.columns);
    const auto factor = domain_.stencil().amplification(row_step, column_step);
    const auto n = static_cast<double>(steps);
    const auto after = std::polar(std::pow(std::abs(factor), n), n * std::arg(factor));
    const auto [first_row, first_column] = domain_.origin();
    std::vector<std::complex<double>> columns;
    for (std::int64_t j = 0; j < block.columns(); ++j) {
        columns.push_back(std::polar(1.0, column_step * static_cast<double>(first_column + j)));
    }
    for (std::int64_t i = 0; i < block.rows(); ++i) {
        const auto row =
            after * std::polar(1.0, phase_ + (row_step * static_cast<double>(first_row + i)));
        for (std::int64_t j = 0; j < block.columns(); ++j) {
            const auto& column = columns[static_cast<std::size_t>(j)];
            use(i, j, mean + (row.real() * column.imag()) + (row.imag() * column.real()));
        }
    }
}

void Wave::write() const {
    std::ranges::fill(domain_.field(), nowhere);
    const auto& block = domain_.block();
    const auto array = domain_.field();
    for_each(0, [&](std::int64_t row, std::int64_t column, double value) {
        array[static_cast<std::size_t>(block.at(row, column))] = value;
    });
}

std::uint64_t Wave::check(std::int64_t steps) const {
    const auto& block = domain_.block();
    const auto array = domain_.field();
    const double allowed = tolerance(steps);
    for_each(steps, [&](std::int64_t row, std::int64_t column, double expected) {
        const double found = array[static_cast<std::size_t>(block.at(row, column))];
        if (!(std::abs(found - expected) <= allowed)) {
            throw measure::WrongPayload(
                "wrong field on rank " + std::to_string(domain_.comm().rank()) + " after " +
                std::to_string(steps) + " steps: row " + std::to_string(row) + " column " +
                std::to_string(column) + " holds " + std::to_string(found) + ", the scheme gives " +
                std::to_string(expected));
        }
    });
    return static_cast<std::uint64_t>(block.points()) * sizeof(double);
}

}  // namespace transrank::lab::study::advection
