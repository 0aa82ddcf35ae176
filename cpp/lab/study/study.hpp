// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/case.hpp"
#include "lab/measure/operation.hpp"
#include "lab/measure/workspace.hpp"
#include "lab/study/open_values.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::study {

/// What the user wants of a study; empty means all of it.
struct Selection {
    std::vector<std::int64_t> sizes;
    std::map<std::string, std::vector<std::string>, std::less<>> axes;
    /// What a slot needs may depend on it. select() sets it.
    measure::CacheMode cache = measure::CacheMode::warm;
    /// The most per process, 0: no limit. A study may make a case smaller. select() sets it.
    std::int64_t memory_bytes = 0;
};

/// An axis other than bytes, the values it takes by default, and those that it takes only when
/// asked.
struct AxisChoice {
    std::string_view name;
    std::vector<std::string> values;
    /// Those of `values` that a quick survey measures; empty: all of them.
    std::vector<std::string> quick = {};       // NOLINT(readability-redundant-member-init)
    std::vector<std::string> on_request = {};  // NOLINT(readability-redundant-member-init)
    std::optional<OpenValues> open = {};       // NOLINT(readability-redundant-member-init)
    /// Its values are whole numbers.
    bool numbers = false;
    /// A value that cases do not name: they have this axis only where it differs.
    std::string_view implied = {};  // NOLINT(readability-redundant-member-init)

    /// `values` and `on_request`, in this order.
    [[nodiscard]] std::vector<std::string> known() const;
    /// `on_request` and the form of open values: what may be asked for.
    [[nodiscard]] std::vector<std::string> further() const;
};

/// Where a case is measured. The references outlive the operation.
struct Setting {
    const mpi::Communicator& comm;
    const measure::Workspace& workspace;
    /// The largest `bytes` of any case of the group.
    std::int64_t largest_bytes;
};

/// One benchmark question.
struct Study {
    std::string_view name;
    std::string_view summary;
    /// The sweep of the `bytes` axis in the grammar of text::parse_sizes; empty: no such axis.
    std::string_view sizes = {};
    /// How many sizes of the sweep a quick survey measures.
    int quick_sizes = 3;
    std::vector<AxisChoice> (*axes)() = [] { return std::vector<AxisChoice>(); };
    int fewest_ranks = 1;
    /// Further ranks stay idle; 0: all ranks take part.
    int most_ranks = 0;
    /// Pure: the same list everywhere for the same arguments. `ranks` is the number taking part.
    std::vector<measure::Case> (*cases)(const Selection& selection, int ranks);
    /// Collective.
    std::unique_ptr<measure::Operation> (*prepare)(const measure::Case& point,
                                                   const Setting& setting);
    /// Whether a survey measures it; otherwise it is measured when it is named.
    bool surveyed = true;
    /// Whether its question is about single ranks: a record has the times of each, however many.
    bool compares_ranks = false;
    /// Whether its question is how fast memory is: then that is no condition of its cases.
    bool measures_memory = false;
    /// Why cache modes other than warm mean nothing to it; empty: they do.
    std::string_view no_cache_modes = {};

    [[nodiscard]] int ranks_used(int ranks) const;
};

/// A study's `prepare` where an operation needs no more than that.
template <class Made>
std::unique_ptr<measure::Operation> make(const measure::Case& point, const Setting& setting) {
    return std::make_unique<Made>(point, setting);
}

[[nodiscard]] std::span<const Study> all();

/// Throws std::invalid_argument listing the known names.
[[nodiscard]] const Study& find(std::string_view name);

/// The cases of `study` that `selection` leaves. Cases that cannot run on this number of ranks or
/// in `memory_bytes` per process carry their skip_reason. Throws std::invalid_argument for an axis
/// or value that the study does not have.
[[nodiscard]] std::vector<measure::Case> select(const Study& study, const Selection& selection,
                                                int ranks, measure::CacheMode cache,
                                                std::int64_t memory_bytes);

/// What every study's `cases` begins with: the selected sizes, or the default sweep.
[[nodiscard]] std::vector<std::int64_t> sizes_of(const Selection& selection,
                                                 std::string_view default_sweep);

/// The selected values of an axis out of those it has, in the axis's order; then its open
/// ones, in the selection's.
[[nodiscard]] std::vector<std::string> values_of(const Selection& selection,
                                                 const AxisChoice& axis);

/// How many take part of what `name` counts: all there are, or a number on request.
[[nodiscard]] AxisChoice count_axis(std::string_view name);

/// Each of `points` once for each selected value of the axis, which is then their last one.
[[nodiscard]] std::vector<measure::Case> spread(const std::vector<measure::Case>& points,
                                                const Selection& selection, const AxisChoice& axis);
/// The same for each selected size, or those of the default sweep: the axis `bytes`.
[[nodiscard]] std::vector<measure::Case> spread_sizes(const std::vector<measure::Case>& points,
                                                      const Selection& selection,
                                                      std::string_view default_sweep);
/// The same for each selected value of count_axis, once, in the order asked for; `all` is the
/// number that this value stands for.
[[nodiscard]] std::vector<measure::Case> spread_counts(const std::vector<measure::Case>& points,
                                                       const Selection& selection,
                                                       const AxisChoice& axis, int all);

/// A case of the study for each combination of the selected values of `axes`, the last axis
/// fastest. No more than study and axes is set.
[[nodiscard]] std::vector<measure::Case> combinations(std::string_view study,
                                                      const Selection& selection,
                                                      const std::vector<AxisChoice>& axes);

}  // namespace transrank::lab::study
