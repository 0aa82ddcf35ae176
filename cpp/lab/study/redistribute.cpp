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
#include <memory>
#include <string>
#include <utility>

#include "lab/study/baseline/baseline.hpp"
#include "lab/study/redistribute/ways.hpp"
#include "lab/study/table.hpp"

namespace transrank::lab::study::redistribute {
namespace {

constexpr std::string_view study_name = "redistribute";
constexpr std::int64_t value_bytes = sizeof(double);

std::vector<AxisChoice> axes() {
    AxisChoice kinds{.name = "layouts", .values = {}, .quick = {"blocks"}};
    for (const auto& each : layout_kinds) {
        kinds.values.emplace_back(each.name);
    }
    return {{.name = "grid",
             .values = {"64x128x16", "512x1024x16"},
             .quick = {"64x128x16"},  // which caches hold
             .on_request = {"2048x4096x8", "32x64x4", "16x32x2"}},
            kinds,
            {.name = "phase", .values = {"run", "store"}, .quick = {"run"}},
            {.name = "mode",
             .values = {"unmodified", "rewritten", "used"},
             .quick = {"used"},
             .on_request = {"cycle"}},
            way_axis()};
}

/// The most that any rank has of a grid, in bytes.
std::int64_t most_bytes(const Grid& grid, bool listed, const Parts& parts, int ranks) {
    const auto along = [&](std::size_t d) { return (grid.extents[d] + parts[d] - 1) / parts[d]; };
    const auto cells =
        listed ? (grid.cells() + ranks - 1) / ranks : along(0) * along(1) * grid.extents[2];
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

Needs needs_of(const Grid& grid, const Layouts& layouts, int ranks) {
    const auto partition = partition_for(grid, ranks);
    return {
        .source = most_bytes(grid, layouts.source_listed, partition.source, ranks),
        .destination = most_bytes(grid, layouts.destination_listed, partition.destination, ranks)};
}

/// How many times fewer cells a grid must have for its bundles to fit.
std::int64_t scale_for(const Grid& grid, const Layouts& layouts, int ranks,
                       std::int64_t memory_bytes) {
    constexpr std::int64_t most = std::int64_t{1} << 16U;
    std::int64_t scale = 1;
    const auto needed = [&] {
        const auto needs = needs_of(scaled(grid, scale), layouts, ranks);
        return needs.own() + needs.shared();
    };
    while (memory_bytes > 0 && scale < most && needed() > memory_bytes) {
        scale *= 2;
    }
    return scale;
}

/// From which parts to which, `2x1-1x2`; of lists every rank has one.
std::string parts_of(const Grid& grid, const Layouts& layouts, int ranks) {
    const auto partition = partition_for(grid, ranks);
    return (layouts.source_listed ? "lists" : text(partition.source)) + "-" +
           (layouts.destination_listed ? "lists" : text(partition.destination));
}

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    std::vector<measure::Case> points;
    const auto choices = axes();
    for (const auto& name : values_of(selection, choices[0])) {
        for (const auto& kinds : values_of(selection, choices[1])) {
            const auto& layouts = layouts_named(kinds);
            const auto whole = grid_named(name);
            const bool listed = layouts.source_listed || layouts.destination_listed;
            if (listed && whole.cells() > most_listed_cells) {
                continue;
            }
            const auto scale = scale_for(whole, layouts, ranks, selection.memory_bytes);
            const auto grid = scaled(whole, scale);
            const auto needs = needs_of(grid, layouts, ranks);
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
                        point.axes = {
                            {.name = "grid", .value = name},
                            {.name = "scale", .value = scale},
                            {.name = "layouts", .value = kinds},
                            {.name = "parts", .value = parts_of(grid, layouts, ranks)},
                            {.name = "phase", .value = phase},
                            {.name = "mode", .value = phase == "store" ? "unmodified" : mode},
                            {.name = "way", .value = way}};
                        point.group = "redistribute/" + name + "/" + kinds;
                        point.timing = measure::TimingKind::single;
                        point.bytes_counted =
                            phase == "run" ? static_cast<double>(needs.destination) : 0;
                        point.send_bytes = std::max(needs.source, needs.destination);
                        point.receive_bytes = needs.destination;
                        point.further_bytes = needs.shared();
                        point.skip_reason = baseline::obstacle(way);
                    }
                }
            }
        }
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
    return {.name = study_name,
            .summary = "redistribution of 8 fields between two partitions of a grid (ESMF)",
            .axes = axes,
            .cases = cases,
            .prepare = prepare,
            .no_cache_modes = "this study renews its own contents"};
}

}  // namespace transrank::lab::study::redistribute
