// SPDX-License-Identifier: BSD-3-Clause
// Question: is the advected field right? A grid of points x points cells of the torus of period
// 2 pi, divided among all ranks, with a velocity of 0.5 in each dimension or another one. The
// record keeps what was computed beside the analytic solution: errors over time, mass, the field
// before and after (see Solution). Timed is the whole march, in which nothing of this is computed.
// Steps in time:
//   a number     |u| dt/h in each dimension at most this, until a fifth of the period is passed:
//                the same time for every grid, from which orders of convergence are taken
//   published    100 steps of 0.001257, as in the published program
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>

#include "lab/study/advection/axes.hpp"
#include "lab/study/advection/solution.hpp"
#include "lab/study/named.hpp"
#include "lab/study/table.hpp"
#include "lab/text/numbers.hpp"

namespace transrank::lab::study {
namespace {

using namespace advection;

constexpr std::string_view study_name = "advection-solution";
constexpr double part_of_period = 0.2;
constexpr double published_time_step = 0.001257;
constexpr std::int64_t published_steps = 100;

/// The steps of a case, in time.
struct Steps {
    double length;
    std::int64_t count;
};

Velocity velocity_of(const measure::Case& point) {
    return velocity_named(point.text("velocity"));
}

Steps steps_of(const measure::Case& point) {
    const auto& step = point.text("step");
    if (step == "published") {
        return {.length = published_time_step, .count = published_steps};
    }
    const double courant = text::number_in<double>(step).value();
    const auto passed = part_of_period * static_cast<double>(point.number("points"));
    const auto count = static_cast<std::int64_t>(std::ceil((passed / courant) - 1e-9));
    const double time = part_of_period * 2 * std::numbers::pi / velocity_of(point).largest();
    return {.length = time / static_cast<double>(count), .count = count};
}

Extents extents_of(const measure::Case& point) {
    return {.rows = point.number("points"), .columns = point.number("points")};
}

Courant courant_of(const measure::Case& point) {
    const double spacing = 2 * std::numbers::pi / static_cast<double>(point.number("points"));
    const double length = steps_of(point).length;
    const auto velocity = velocity_of(point);
    return {.x = velocity.u * length / spacing, .y = velocity.v * length / spacing};
}

class Solving final : public measure::Operation {
public:
    Solving(const measure::Case& point, const Setting& setting)
        : steps_(steps_of(point)),
          domain_(setting.comm, processes_of(point.text("processes"), setting.comm.size()),
                  extents_of(point), find_scheme(point.text("scheme")).make(courant_of(point))),
          halo_(point.text("transport") == "none"
                    ? nullptr
                    : domain_.make_halo(point.text("transport"), sources_of(Overlap::none))),
          march_(domain_, halo_.get(), Overlap::none),
          solution_(
              domain_,
              {.initial = named(initial_conditions(), point.text("initial"), "initial condition"),
               .u = velocity_of(point).u,
               .v = velocity_of(point).v},
              steps_.length) {}

    void fill(std::uint64_t /*stamp*/) override {
        solution_.begin();
        march_.restart();
    }

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions * steps_.count; ++i) {
            march_.step();
        }
    }

    /// The outcome says how accurate the field is; there is no payload.
    std::uint64_t verify(std::int64_t /*repetitions*/) override { return 0; }

    void describe(text::JsonWriter& json) override {
        solution_.outcome(march_, steps_.count).describe(json.key("outcome"));
    }

private:
    Steps steps_;
    Domain domain_;
    std::unique_ptr<baseline::Mover> halo_;
    March march_;
    Solution solution_;
};

std::vector<AxisChoice> axes() {
    const AxisChoice initial{
        .name = "initial", .values = names_of(initial_conditions()), .quick = {"gaussian"}};
    auto axes = domain_axes(
        {.name = "scheme", .values = {"second-order", "first-order"}, .quick = {"second-order"}});
    axes.insert(axes.begin(), initial);
    axes.push_back(points_axis({"50", "100", "200"}, 3));
    axes.push_back({.name = "step",
                    .values = {"0.4", "published"},
                    .quick = {"0.4"},
                    .on_request = {"0.1", "0.2", "0.5", "0.8", "1", "2.5"}});
    auto ways = transports({"auto"});
    ways.on_request.insert(ways.on_request.end(), ways.values.begin() + 1, ways.values.end());
    ways.on_request.emplace_back("none");
    ways.values.resize(1);
    axes.push_back(std::move(ways));
    return axes;
}

std::string reason_to_skip(const measure::Case& point, int ranks) {
    const auto& scheme = find_scheme(point.text("scheme"));
    try {
        (void)scheme.make(courant_of(point));
    } catch (const std::invalid_argument& too_long) {
        return too_long.what();
    }
    return reason_against(extents_of(point), processes_of(point.text("processes"), ranks),
                          scheme.width);
}

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    auto points = combinations(study_name, selection, axes());
    for (auto& point : points) {
        const auto side = point.number("points");
        point.group = std::string(study_name) + "/" + std::to_string(side);
        point.bytes_counted = 16.0 * static_cast<double>(side * side * steps_of(point).count);
        point.further_bytes = Domain::bytes(Block(side, side));
        point.skip_reason = reason_to_skip(point, ranks);
    }
    return points;
}

}  // namespace

Study advection_solution() {
    return {.name = study_name,
            .summary =
                "accuracy of 2-D upwind advection: errors, mass and fields next to the analytic "
                "solution",
            .axes = axes,
            .cases = cases,
            .prepare = make<Solving>,
            .no_cache_modes = "each step finds the caches as the last one left them"};
}

}  // namespace transrank::lab::study
