// SPDX-License-Identifier: BSD-3-Clause
// Question: does the cost of making the route of a redistribution grow with the number of ranks?
// ESMF's published times grow with its square beyond 128 processors, and their author could not say
// why. Timed is the making of the route of one rank, by one process and without MPI, from the
// description of both layouts on (boundary tables of irregular blocks included), for a rank in the
// middle; or of the routes of all ranks, one after another. Blocks have the same size at every
// number of ranks. In one dimension a table of boundaries has as many entries as there are ranks,
// so there is nothing to be shown; regular blocks are a formula. Beside the time stands what the
// route of one rank occupies.
#include <stdexcept>
#include <string>

#include "lab/measure/outcome.hpp"
#include "lab/measure/payload.hpp"
#include "lab/study/plan_scaling/planned.hpp"
#include "lab/study/table.hpp"

namespace transrank::lab::study::plan_scaling {
namespace {

constexpr std::string_view study_name = "plan-scaling";
constexpr std::int64_t most_ranks = 1 << 20;

Planned planned(const measure::Case& point) {
    return {static_cast<int>(point.number("dimensions")),
            point.text("blocks") == "regular" ? Blocks::regular : Blocks::irregular,
            static_cast<int>(point.number("plan_ranks"))};
}

std::int64_t cells_sent(const route::Route& route) {
    std::int64_t cells = 0;
    for (const auto& leg : route.sends()) {
        cells += leg.units();
    }
    return cells;
}

class Planning final : public measure::Operation {
public:
    Planning(const measure::Case& point, const Setting& /*setting*/)
        : planned_(planned(point)), all_(point.text("routes") == "all") {}

    void fill(std::uint64_t /*stamp*/) override {}

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            found_ = all_ ? planned_.store_all() : cells_sent(planned_.store(middle()));
        }
    }

    /// What was planned last must be what the layouts say.
    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        const auto [source, destination] = planned_.layouts();
        const std::int64_t most =
            all_ ? source.units(0) * 2 * planned_.ranks() : source.units(middle());
        if (all_ ? found_ < 0 || found_ > most : found_ != most) {
            throw measure::WrongPayload("the routes send " + std::to_string(found_) +
                                        " cells, not " + std::to_string(most));
        }
        return 0;
    }

    /// What the route of one rank occupies, and the boundary tables that it was made from.
    void describe(text::JsonWriter& json) override {
        if (!all_) {
            const measure::Outcome outcome{
                .values = {{"route_bytes", static_cast<double>(bytes_of(planned_.store(middle())))},
                           {"table_bytes", static_cast<double>(planned_.table_bytes())}},
                .series = {},
                .fields = {}};
            outcome.describe(json.key("outcome"));
        }
    }

private:
    [[nodiscard]] int middle() const { return planned_.ranks() / 2; }

    Planned planned_;
    bool all_;
    std::int64_t found_ = 0;
};

std::vector<AxisChoice> axes() {
    return {{.name = "dimensions", .values = {"2", "3"}, .quick = {"2"}, .numbers = true},
            {.name = "blocks", .values = {"regular", "irregular"}, .quick = {"regular"}},
            {.name = "routes", .values = {"one", "all"}, .quick = {"one"}},
            {.name = "plan_ranks",
             .values = {"4", "32", "64", "128", "256", "512", "1024", "2048", "16384", "131072",
                        "1000000"},
             .quick = {"32", "1000000"},
             .open = whole_numbers(1, most_ranks),
             .numbers = true}};
}

std::vector<measure::Case> cases(const Selection& selection, int /*ranks*/) {
    auto points = combinations(study_name, selection, axes());
    for (auto& point : points) {
        point.group = study_name;
    }
    return points;
}

}  // namespace

Study study() {
    return {
        .name = study_name,
        .summary = "time to plan (make the routes of) a redistribution among up to a million ranks",
        .axes = axes,
        .most_ranks = 1,
        .cases = cases,
        .prepare = make<Planning>,
        .no_cache_modes = "this study has no buffers"};
}

}  // namespace transrank::lab::study::plan_scaling
