// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <span>
#include <string_view>
#include <vector>

namespace transrank::lab::study::advection {

/// How many steps of the grid a wave passes in one step of time, signed, in each dimension: u dt/h.
struct Courant {
    double x = 0;
    double y = 0;
};

/// A point that a new value depends on, its distance in rows and columns, and its weight.
struct Tap {
    int row;
    int column;
    double weight;
};

/// An explicit scheme for c_t + u c_x + v c_y = 0 with constant velocity: each new value is the
/// weighted sum of old ones upwind of it. x counts rows, y columns.
struct Stencil {
    std::vector<Tap> taps;
    /// Rows and columns of ghosts that it needs, on the upwind side of each dimension only.
    int width = 0;
    /// Whether that side is the one of lower indices.
    bool from_low_rows = true;
    bool from_low_columns = true;
    /// Whether it reads points that are upwind in both dimensions: the corner of the halo.
    bool reads_corner = false;

    /// What one step multiplies exp(i (phase_x row + phase_y column)) by: waves are eigenvectors,
    /// so a computed field can be checked to round-off after any number of steps.
    [[nodiscard]] std::complex<double> amplification(double phase_x, double phase_y) const;
};

/// A row of the table of schemes.
struct Scheme {
    std::string_view name;
    int order;
    int width;
    /// Throws std::invalid_argument when the step is too long to be stable, with the longest one.
    Stencil (*make)(const Courant& courant);
};

/// `first-order`: donor cell upwind (Courant, Isaacson & Rees 1952), stable up to |x| + |y| = 1.
/// `second-order`: upwind of Warming & Beam (1976) in each dimension, one after the other in one
/// sweep; of second order in space and time, stable up to 2 in each dimension.
[[nodiscard]] std::span<const Scheme> schemes();

/// Throws std::invalid_argument when there is none of this name.
[[nodiscard]] const Scheme& find_scheme(std::string_view name);

}  // namespace transrank::lab::study::advection
