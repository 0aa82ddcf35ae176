// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/advection/scheme.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string>

#include "lab/study/named.hpp"

namespace transrank::lab::study::advection {
namespace {

std::string short_number(double value) {
    std::array<char, 32> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 3);
    return {text.data(), end.ptr};
}

[[noreturn]] void refuse(std::string_view scheme, const std::string& found, double reached,
                         const std::string& limit, double allowed) {
    throw std::invalid_argument("the time step is too long for the " + std::string(scheme) +
                                " scheme: " + found + " exceeds " + limit + "; use at most " +
                                short_number(allowed / reached) + " times this step");
}

Stencil facing(const Courant& courant, int width) {
    return {.taps = {},
            .width = width,
            .from_low_rows = courant.x >= 0,
            .from_low_columns = courant.y >= 0,
            .reads_corner = width > 1};
}

Stencil first_order(const Courant& courant) {
    const double x = std::abs(courant.x);
    const double y = std::abs(courant.y);
    if (x + y > 1) {
        refuse("first-order", "|u| dt/h + |v| dt/h = " + short_number(x + y), x + y, "1", 1);
    }
    auto stencil = facing(courant, 1);
    stencil.taps = {{.row = 0, .column = 0, .weight = 1 - x - y},
                    {.row = stencil.from_low_rows ? -1 : 1, .column = 0, .weight = x},
                    {.row = 0, .column = stencil.from_low_columns ? -1 : 1, .weight = y}};
    return stencil;
}

// Weights of the point itself and of the two upwind of it.
std::array<double, 3> beam_warming(double c) {
    return {1 - (c * (3 - c) / 2), c * (2 - c), c * (c - 1) / 2};
}

Stencil second_order(const Courant& courant) {
    const double x = std::abs(courant.x);
    const double y = std::abs(courant.y);
    if (std::max(x, y) > 2) {
        refuse("second-order",
               "the larger of |u| dt/h and |v| dt/h = " + short_number(std::max(x, y)),
               std::max(x, y), "2", 2);
    }
    auto stencil = facing(courant, 2);
    const auto rows = beam_warming(x);
    const auto columns = beam_warming(y);
    const int up = stencil.from_low_rows ? -1 : 1;
    const int left = stencil.from_low_columns ? -1 : 1;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            stencil.taps.push_back({.row = i * up,
                                    .column = j * left,
                                    .weight = rows[static_cast<std::size_t>(i)] *
                                              columns[static_cast<std::size_t>(j)]});
        }
    }
    return stencil;
}

constexpr std::array table{
    Scheme{.name = "first-order", .order = 1, .width = 1, .make = first_order},
    Scheme{.name = "second-order", .order = 2, .width = 2, .make = second_order}};

}  // namespace

std::complex<double> Stencil::amplification(double phase_x, double phase_y) const {
    std::complex<double> factor = 0;
    for (const auto& tap : taps) {
        factor += std::polar(1.0, (phase_x * tap.row) + (phase_y * tap.column)) * tap.weight;
    }
    return factor;
}

std::span<const Scheme> schemes() {
    return table;
}

const Scheme& find_scheme(std::string_view name) {
    return named(table, name, "scheme");
}

}  // namespace transrank::lab::study::advection
