// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/case.hpp"
#include "lab/measure/operation.hpp"
#include "lab/measure/workspace.hpp"
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
    std::vector<std::string> on_request = {};  // NOLINT(readability-redundant-member-init)
    /// Values that no list can name: what they look like, e.g. `A-B+C-D`, and whether a text is
    /// one. Taken when asked, like `on_request`.
    std::string_view pattern = {};  // NOLINT(readability-redundant-member-init)
    bool (*accepts)(std::string_view text) = nullptr;

    /// Both, in this order.
    [[nodiscard]] std::vector<std::string> known() const;
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
    std::string_view sizes;
    std::vector<AxisChoice> (*axes)();
    int fewest_ranks;
    /// Further ranks stay idle; 0: all ranks take part.
    int most_ranks;
    /// Pure: the same list everywhere for the same arguments. `ranks` is the number taking part.
    std::vector<measure::Case> (*cases)(const Selection& selection, int ranks);
    /// Collective.
    std::unique_ptr<measure::Operation> (*prepare)(const measure::Case& point,
                                                   const Setting& setting);
    /// Whether a survey measures it; otherwise only who names it.
    bool surveyed = true;

    [[nodiscard]] int ranks_used(int ranks) const;
};

[[nodiscard]] std::span<const Study> all();

/// Throws std::invalid_argument listing the known names.
[[nodiscard]] const Study& find(std::string_view name);

/// The cases of `study` that `selection` leaves. Cases that cannot run with so many ranks or in
/// `memory_bytes` per process carry their skip_reason. Throws std::invalid_argument for an axis or
/// value that the study does not have.
[[nodiscard]] std::vector<measure::Case> select(const Study& study, const Selection& selection,
                                                int ranks, measure::CacheMode cache,
                                                std::int64_t memory_bytes);

/// What every study's `cases` begins with: the selected sizes, or the default sweep.
[[nodiscard]] std::vector<std::int64_t> sizes_of(const Selection& selection,
                                                 std::string_view default_sweep);

/// The selected values of an axis out of those it has, in the axis's order; then those that match
/// its pattern, in the selection's.
[[nodiscard]] std::vector<std::string> values_of(const Selection& selection,
                                                 const AxisChoice& axis);

/// The studies without axes of their own have this.
[[nodiscard]] std::vector<AxisChoice> no_axes();

}  // namespace transrank::lab::study
