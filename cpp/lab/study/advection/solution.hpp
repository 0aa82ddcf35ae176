// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "lab/measure/outcome.hpp"
#include "lab/study/advection/domain.hpp"
#include "lab/study/advection/march.hpp"
#include "lab/study/advection/problem.hpp"

namespace transrank::lab::study::advection {

/// What separates a computed field from the analytic one, over all points.
struct Errors {
    double largest;
    double mean;
    double root_mean_square;
};

/// A problem on a domain of period 2 pi: points lie at the centres of cells.
class Solution {
public:
    Solution(const Domain& domain, const Problem& problem, double time_step)
        : domain_(domain), problem_(problem), time_step_(time_step) {}

    /// Writes the initial condition.
    void begin() const;

    /// Collective. Errors of the field after `steps` steps.
    [[nodiscard]] Errors errors(std::int64_t steps) const;

    /// Collective. The integral of the field.
    [[nodiscard]] double mass() const;

    /// Collective. Marches through all steps once more and says what comes out: errors over time,
    /// mass, the field before and after, and a profile along x.
    [[nodiscard]] measure::Outcome outcome(March& march, std::int64_t steps) const;

private:
    [[nodiscard]] double spacing() const;
    [[nodiscard]] double exact(std::int64_t row, std::int64_t column, std::int64_t steps) const;
    [[nodiscard]] double value(std::int64_t row, std::int64_t column) const;
    template <class Visit>
    void each_point(const Visit& visit) const;
    template <class Value>
    [[nodiscard]] measure::Outcome::Field thinned(const Value& value) const;
    template <class Value>
    [[nodiscard]] std::vector<double> profile(const Value& value) const;
    [[nodiscard]] std::vector<double> gathered(std::vector<double> own) const;

    const Domain& domain_;
    Problem problem_;
    double time_step_;
};

}  // namespace transrank::lab::study::advection
