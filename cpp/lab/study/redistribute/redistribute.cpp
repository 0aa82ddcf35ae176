// SPDX-License-Identifier: BSD-3-Clause
// Question: what does it cost to move a bundle of fields from one partition of a grid to another
// one? Eight fields of doubles on a grid whose first two dimensions are divided; source and
// destination partition are chosen so that little stays where it is. After the ESMF bundle
// redistribution benchmark (P. Li, 2007), whose grids and partitions these are. Two phases:
//   run    the data move. Timed from a barrier, by the slowest rank, the part that stays on its
//          rank included; bytes count as arriving per rank, with that part
//   store  the route is made and bound to the fields
// Modes of run:
//   unmodified  the fields never change, as in the published benchmark
//   rewritten   before each run the owners rewrite their fields
//   used        the same, and what has arrived is then read, which is timed too
//   cycle       the same, and the rewriting is timed as well: the cost of a way includes what its
//               owner pays to write anew, and its reader to read
// Layouts: blocks on both sides, or on one side lists, in which each rank has an equal share of the
// cells in an order without any neighbors (ESMF's arbitrary distribution).
// Compared are the library's choice and its transports, the options of ESMF's route handles, what
// a program can do with MPI alone, and copies of as many bytes, which no way is faster than. Where
// memory is short the grid has `scale` times fewer cells.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/study/baseline/baseline.hpp"
#include "lab/study/named.hpp"
#include "lab/study/redistribute/ways.hpp"
#include "lab/study/table.hpp"

namespace transrank::lab::study::redistribute {
namespace {

constexpr std::string_view study_name = "redistribute";
constexpr std::int64_t value_bytes = sizeof(double);
// The published partition, or the one of least overlap.
constexpr std::string_view usual = "usual";

std::vector<AxisChoice> axes() {
    return {{.name = "grid",
             .values = {"64x128x16", "512x1024x16"},
             .quick = {"64x128x16"},  // which caches hold
             .on_request = {"2048x4096x8"},
             .open = extents(1, 3, most_extent)},
            {.name = "layouts", .values = names_of(layout_kinds), .quick = {"blocks"}},
            {.name = "phase", .values = {"run", "store"}, .quick = {"run"}},
            {.name = "mode",
             .values = {"unmodified", "rewritten", "used"},
             .quick = {"used"},
             .on_request = {"cycle"}},
            way_axis(),
            {.name = "from", .values = {std::string(usual)}, .open = extents(1, 3, most_extent)},
            {.name = "to", .values = {std::string(usual)}, .open = extents(1, 3, most_extent)}};
}

Partition partition_of(const Grid& grid, const std::string& from, const std::string& to,
                       int ranks) {
    auto partition = from == usual || to == usual ? partition_for(grid, ranks) : Partition{};
    if (from != usual) {
        partition.source = parts_named(from);
    }
    if (to != usual) {
        partition.destination = parts_named(to);
    }
    return partition;
}

/// Why parts do not fit a launch or a grid; empty when they do.
std::string reason_against(const Grid& grid, const Parts& parts, int ranks) {
    const auto number = std::int64_t{parts[0]} * parts[1] * parts[2];
    if (number != ranks) {
        return text(parts) + " are " + std::to_string(number) + " parts, the launch has " +
               std::to_string(ranks) + " ranks";
    }
    for (std::size_t d = 0; d < parts.size(); ++d) {
        if (parts[d] > grid.extents[d]) {
            return text(parts) + " are more parts than " + grid.text() +
                   " has cells along dimension " + std::to_string(d);
        }
    }
    return "";
}

/// Why a launch or a grid cannot have these parts; empty when it can.
std::string reason_against(const Grid& grid, const Layouts& layouts, const Partition& partition,
                           int ranks) {
    auto reason = layouts.source_listed ? "" : reason_against(grid, partition.source, ranks);
    return reason.empty() && !layouts.destination_listed
               ? reason_against(grid, partition.destination, ranks)
               : reason;
}

/// The most that any rank has of a grid, in bytes.
std::int64_t most_bytes(const Grid& grid, bool listed, const Parts& parts, int ranks) {
    const auto along = [&](std::size_t d) { return (grid.extents[d] + parts[d] - 1) / parts[d]; };
    const auto cells = listed ? (grid.cells() + ranks - 1) / ranks : along(0) * along(1) * along(2);
    return cells * fields * value_bytes;
}

struct Needs {
    std::int64_t source;
    std::int64_t destination;

    /// Arrays of the user's; a floor copies from as many bytes as arrive.
    [[nodiscard]] std::int64_t own() const { return std::max(source, destination) + destination; }
    /// Arrays that node-mates can map.
    [[nodiscard]] std::int64_t shared() const { return source + destination; }
};

Needs needs_of(const Grid& grid, const Layouts& layouts, const Partition& partition, int ranks) {
    return {
        .source = most_bytes(grid, layouts.source_listed, partition.source, ranks),
        .destination = most_bytes(grid, layouts.destination_listed, partition.destination, ranks)};
}

/// How many times fewer cells a grid must have for its bundles to fit. `partition_on` gives the
/// partition of a grid.
template <class PartitionOn>
std::int64_t scale_for(const Grid& grid, const Layouts& layouts, const PartitionOn& partition_on,
                       int ranks, std::int64_t memory_bytes) {
    constexpr std::int64_t most = std::int64_t{1} << 16U;
    std::int64_t scale = 1;
    const auto needed = [&] {
        const auto smaller = scaled(grid, scale);
        const auto needs = needs_of(smaller, layouts, partition_on(smaller), ranks);
        return needs.own() + needs.shared();
    };
    while (memory_bytes > 0 && scale < most && needed() > memory_bytes) {
        scale *= 2;
    }
    return scale;
}

/// From which parts to which, `2x1-1x2`; of lists every rank has one.
std::string parts_of(const Layouts& layouts, const Partition& partition) {
    return (layouts.source_listed ? "lists" : text(partition.source)) + "-" +
           (layouts.destination_listed ? "lists" : text(partition.destination));
}

/// Those of a grid, its layouts and their parts, which are the axes of `place`; once, however often
/// the same parts are named.
void add_cases(const measure::Case& place, const Selection& selection,
               const std::vector<AxisChoice>& choices, int ranks,
               std::vector<measure::Case>& points) {
    const auto& layouts = layouts_named(place.text("layouts"));
    const auto whole = grid_named(place.text("grid"));
    const bool listed = layouts.source_listed || layouts.destination_listed;
    if (listed && whole.cells() > most_listed_cells) {
        return;
    }
    const auto partition_on = [&](const Grid& grid) {
        return partition_of(grid, place.text("from"), place.text("to"), ranks);
    };
    const auto scale = scale_for(whole, layouts, partition_on, ranks, selection.memory_bytes);
    const auto grid = scaled(whole, scale);
    const auto partition = partition_on(grid);
    const auto needs = needs_of(grid, layouts, partition, ranks);
    const auto parts = parts_of(layouts, partition);
    const auto group =
        "redistribute/" + place.text("grid") + "/" + place.text("layouts") + "/" + parts;
    if (std::ranges::find(points, group, &measure::Case::group) != points.end()) {
        return;
    }
    const auto modes = values_of(selection, choices[3]);
    for (const auto& phase : values_of(selection, choices[2])) {
        for (const auto& mode : modes) {
            if (phase == "store" && mode != modes.front()) {
                continue;  // nothing is read or written
            }
            for (const auto& way : values_of(selection, choices[4])) {
                const auto* baseline = baseline::find(way);
                // Floors write other contents, which must not be timed.
                if (!exists(layouts, phase, way) ||
                    (mode == "cycle" && baseline != nullptr && baseline->own_memory)) {
                    continue;
                }
                auto& point = points.emplace_back();
                point.study = study_name;
                point.axes = {{.name = "grid", .value = place.text("grid")},
                              {.name = "scale", .value = scale},
                              {.name = "layouts", .value = place.text("layouts")},
                              {.name = "parts", .value = parts},
                              {.name = "phase", .value = phase},
                              {.name = "mode", .value = phase == "store" ? "unmodified" : mode},
                              {.name = "way", .value = way}};
                point.group = group;
                point.timing = measure::TimingKind::single;
                point.bytes_counted = phase == "run" ? static_cast<double>(needs.destination) : 0;
                point.send_bytes = std::max(needs.source, needs.destination);
                point.receive_bytes = needs.destination;
                point.further_bytes = needs.shared();
                point.skip_reason = reason_against(grid, layouts, partition, ranks);
                if (point.skip_reason.empty()) {
                    point.skip_reason = baseline::reason_against(way);
                }
            }
        }
    }
}

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    std::vector<measure::Case> points;
    const auto choices = axes();
    for (const auto& place :
         combinations(study_name, selection, {choices[0], choices[1], choices[5], choices[6]})) {
        add_cases(place, selection, choices, ranks, points);
    }
    return points;
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    const auto task = task_of(point, setting);
    const auto& way = point.text("way");
    const auto* baseline = baseline::find(way);
    if (is_shared(way)) {
        return make_bundle(point, setting,
                           Arrays::shared(setting.comm, point.group, task.source_values(),
                                          task.destination_values()));
    }
    const bool floor = baseline != nullptr && baseline->own_memory;
    return make_bundle(point, setting,
                       Arrays::in(setting.workspace, point,
                                  floor ? point.send_bytes / value_bytes : task.source_values(),
                                  task.destination_values()));
}

}  // namespace

Study study() {
    return {
        .name = study_name,
        .summary = "redistribution of 8 fields from one decomposition of a grid to another (ESMF)",
        .axes = axes,
        .cases = cases,
        .prepare = prepare,
        .no_cache_modes = "this study renews its own contents"};
}

}  // namespace transrank::lab::study::redistribute
