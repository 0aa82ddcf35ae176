// SPDX-License-Identifier: BSD-3-Clause
// Question: what does it cost to move a bundle of fields from one partition of a grid to another
// one? Eight fields of doubles on a grid whose first two dimensions are divided; source and
// destination partition are chosen so that little stays where it is. After the ESMF bundle
// redistribution benchmark (P. Li, 2007), whose grids and partitions these are. Two phases:
//   run    the data move. Timed from a barrier, by the slowest rank, the part that stays on its
//          rank included; bytes count as arriving per rank, that part included, too
//   store  the route is made and bound to the fields
// Compared are the library's choice, its transports and the options of ESMF's route handles, what
// a program can do with MPI alone, and copies of as many bytes, which no way is faster than. Where
// memory is short the grid has `scale` times fewer cells.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "transrank/memory/copy_kernels.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "transrank/study/bundles/library.hpp"
#include "transrank/study/bundles/way.hpp"
#include "transrank/study/table.hpp"

namespace transrank::study {
namespace {

using bundles::Arrays;
using bundles::Grid;
using bundles::Task;

constexpr std::string_view study_name = "redistribute";
constexpr std::int64_t value_bytes = sizeof(double);

std::span<double> doubles(std::span<std::byte> bytes, std::int64_t values) {
    return {reinterpret_cast<double*>(bytes.data()), static_cast<std::size_t>(values)};
}

/// Arrays that node-mates can map; the operations of a group share one pair.
class SharedArrays {
public:
    explicit SharedArrays(const Task& task)
        : source_(static_cast<std::size_t>(task.source_values() * value_bytes)),
          destination_(static_cast<std::size_t>(task.destination_values() * value_bytes)) {}

    [[nodiscard]] static Arrays get(const Task& task) {
        static std::map<std::string, std::weak_ptr<SharedArrays>> known;
        auto& place = known[task.grid.text()];
        auto shared = place.lock();
        if (!shared) {
            shared = std::make_shared<SharedArrays>(task);
            place = shared;
        }
        return {.source = doubles(shared->source_.bytes(), task.source_values()),
                .destination = doubles(shared->destination_.bytes(), task.destination_values()),
                .owner = shared};
    }

private:
    memory::SharedSegment source_;
    memory::SharedSegment destination_;
};

std::vector<AxisChoice> axes() {
    AxisChoice ways{.name = "way",
                    .values = bundles::library_ways(),
                    .on_request = bundles::further_library_ways()};
    for (const auto& way : bundles::ways()) {
        ways.values.emplace_back(way.name);
    }
    return {{.name = "grid",
             .values = {"64x128x16", "512x1024x16"},
             .on_request = {"2048x4096x8", "32x64x4"}},
            {.name = "phase", .values = {"run", "store"}},
            ways};
}

/// The most that any rank has of a grid, in bytes.
std::int64_t most_bytes(const Grid& grid, const bundles::Parts& parts) {
    const auto along = [&](std::size_t d) { return (grid.extents[d] + parts[d] - 1) / parts[d]; };
    return along(0) * along(1) * grid.extents[2] * bundles::fields * value_bytes;
}

struct Needs {
    std::int64_t source;
    std::int64_t destination;

    /// Arrays of the user's; a floor copies from as many bytes as arrive.
    [[nodiscard]] std::int64_t own() const { return std::max(source, destination) + destination; }
    /// Arrays that node-mates can map.
    [[nodiscard]] std::int64_t shared() const { return source + destination; }
};

Needs needs_of(const Grid& grid, int ranks) {
    const auto partition = bundles::partition_for(grid, ranks);
    return {.source = most_bytes(grid, partition.source),
            .destination = most_bytes(grid, partition.destination)};
}

/// How many times fewer cells a grid must have for its bundles to fit.
std::int64_t scale_for(const Grid& grid, int ranks, std::int64_t memory_bytes) {
    constexpr std::int64_t most = std::int64_t{1} << 16U;
    std::int64_t scale = 1;
    const auto needed = [&] {
        const auto needs = needs_of(bundles::scaled(grid, scale), ranks);
        return needs.own() + needs.shared();
    };
    while (memory_bytes > 0 && scale < most && needed() > memory_bytes) {
        scale *= 2;
    }
    return scale;
}

std::string reason_to_skip(const std::string& way, measure::CacheMode cache) {
    if (cache != measure::CacheMode::warm) {
        return "this study renews its own contents; leave out --cache";
    }
    if (way == "nontemporal" && memory::nontemporal_copy() == nullptr) {
        return "no stores past the caches are known for this processor";
    }
    return "";
}

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    std::vector<measure::Case> points;
    const auto choices = axes();
    for (const auto& name : values_of(selection, choices[0])) {
        const auto whole = bundles::grid_named(name);
        const auto scale = scale_for(whole, ranks, selection.memory_bytes);
        const auto needs = needs_of(bundles::scaled(whole, scale), ranks);
        for (const auto& phase : values_of(selection, choices[1])) {
            for (const auto& way : values_of(selection, choices[2])) {
                if (phase == "store" && !bundles::options_of(way)) {
                    continue;  // nothing is stored
                }
                auto& point = points.emplace_back();
                point.study = study_name;
                point.axes = {{.name = "grid", .value = name},
                              {.name = "scale", .value = scale},
                              {.name = "phase", .value = phase},
                              {.name = "way", .value = way}};
                point.group = "redistribute/" + name;
                point.timing = measure::TimingKind::single;
                point.bytes_counted = phase == "run" ? static_cast<double>(needs.destination) : 0;
                point.send_bytes = std::max(needs.source, needs.destination);
                point.receive_bytes = needs.destination;
                point.further_bytes = needs.shared();
                point.skip_reason = reason_to_skip(way, selection.cache);
            }
        }
    }
    return points;
}

Arrays workspace_arrays(const measure::Case& point, const measure::Workspace& workspace,
                        std::int64_t source_values, std::int64_t destination_values) {
    const auto slot = std::max(point.send_bytes, point.receive_bytes);
    return {
        .source = doubles(workspace.send(0, slot, point.send_bytes), source_values),
        .destination = doubles(workspace.receive(0, slot, point.receive_bytes), destination_values),
        .owner = nullptr};
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    const Task task(bundles::grid_of(point), setting.comm.rank(), setting.comm.size());
    const auto& name = point.text("way");
    const auto* way = bundles::find_way(name);
    const bool floor = way != nullptr && way->floor;
    const bool shared = name == "auto" || name == "shared-direct" || name.starts_with("direct-");
    const auto arrays =
        shared ? SharedArrays::get(task)
               : workspace_arrays(point, setting.workspace,
                                  floor ? point.send_bytes / value_bytes : task.source_values(),
                                  task.destination_values());
    if (way != nullptr) {
        return way->make(point, setting, arrays);
    }
    return point.text("phase") == "store" ? bundles::make_store(point, setting, arrays)
                                          : bundles::make_run(point, setting, arrays);
}

}  // namespace

Study redistribute() {
    return {.name = study_name,
            .summary = "redistribution of 8 fields between two partitions of a grid (ESMF)",
            .sizes = "",
            .axes = axes,
            .fewest_ranks = 1,
            .most_ranks = 0,
            .cases = cases,
            .prepare = prepare};
}

}  // namespace transrank::study
