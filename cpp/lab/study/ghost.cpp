// SPDX-License-Identifier: BSD-3-Clause
// Question: what does it cost to update the ghost rows of a distributed array? Each rank owns a
// block of 32x32x32 rows of `vdim` doubles and receives six faces, 6144 rows. Timed is one update,
// from a barrier, by the slowest rank; bytes count as received per rank. Modes:
//   unmodified  the arrays never change, as in the published benchmark: lines that were read once
//               stay in the reader's cache, which flatters shared memory
//   rewritten   before each update the owner rewrites its block
//   used        the same, and the reader then reads its ghosts, which is timed too
// Compared are the engine's transports, what a program can do with MPI alone, and the floor.
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "lab/study/arrays.hpp"
#include "lab/study/baseline/baseline.hpp"
#include "lab/study/ghost/pattern.hpp"
#include "lab/study/ghost/update.hpp"
#include "lab/study/table.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::lab::study::ghost {
namespace {

constexpr std::string_view study_name = "ghost";

// Those that are measured unless others are asked for.
constexpr std::array<std::string_view, 10> compared{"datatype",
                                                    "neighborhood",
                                                    "floor",
                                                    "floor-from-peers",
                                                    "mpi-packed",
                                                    "mpi-datatype",
                                                    "mpi-neighborhood",
                                                    "mpi-packed-neighborhood",
                                                    "mpi-put-fence",
                                                    "mpi-put-post"};

std::vector<AxisChoice> axes() {
    AxisChoice transports{.name = "transport",
                          .values = {"auto"},
                          .on_request = baseline::others_than(
                              compared, [](const baseline::Entry& /*entry*/) { return true; })};
    for (const auto& entry : transport::all()) {
        if (!entry.within_rank) {
            transports.values.emplace_back(entry.name);
        }
    }
    transports.values.insert(transports.values.end(), compared.begin(), compared.end());
    return {{.name = "pattern", .values = {"corrected"}, .on_request = {"literal", "remote"}},
            {.name = "vdim",
             .values = {"6", "20", "120"},
             .quick = {"20"},
             .on_request = {"1",  "2",  "3",  "4",  "5",  "8",  "10",  "12",  "16",  "24",
                            "32", "40", "48", "64", "80", "96", "128", "160", "192", "256"},
             .numbers = true},
            // Quick: what a program does, which flatters no transport.
            {.name = "mode", .values = {"unmodified", "rewritten", "used"}, .quick = {"used"}},
            transports};
}

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    auto points = combinations(study_name, selection, axes());
    std::map<std::string, std::int64_t> rows;  ///< received, by pattern
    for (auto& point : points) {
        const auto& pattern = point.text("pattern");
        if (!rows.contains(pattern)) {
            rows[pattern] = rows_received(make_route(pattern, 0, ranks));
        }
        const auto row_bytes = point.number("vdim") * std::int64_t{sizeof(double)};
        point.group = "ghost/" + pattern + "/" + std::to_string(point.number("vdim"));
        point.timing = measure::TimingKind::single;
        point.bytes_counted = static_cast<double>(rows[pattern] * row_bytes);
        point.send_bytes = block_rows * row_bytes;
        point.receive_bytes = ghost_rows * row_bytes;
        point.skip_reason = baseline::obstacle(point.text("transport"));
    }
    return points;
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    const auto& transport = point.text("transport");
    const auto* baseline = baseline::find(transport);
    const auto vdim = point.number("vdim");
    const auto owned = block_rows * vdim;
    const auto ghosts = ghost_rows * vdim;
    auto arrays = Arrays::in(setting.workspace, point, owned, ghosts);
    if (baseline != nullptr && baseline->shared) {
        arrays = Arrays::shared(setting.comm, owned, ghosts);
    } else if (transport::prefers_shared_arrays(transport)) {
        arrays = Arrays::shared(setting.comm, point.group, owned, ghosts);
    }
    // A floor gathers as many rows for every pattern.
    const bool floor = baseline != nullptr && baseline->own_memory;
    auto mover =
        baseline::make(transport, {.comm = setting.comm,
                                   .route = make_route(floor ? "remote" : point.text("pattern"),
                                                       setting.comm.rank(), setting.comm.size()),
                                   .fields = {field_of(arrays.source, arrays.destination,
                                                       vdim * std::int64_t{sizeof(double)})},
                                   .description = baseline::Description::rows});
    return std::make_unique<Update>(point, arrays, std::move(mover));
}

}  // namespace

Study study() {
    return {.name = study_name,
            .summary = "ghost update of 32x32x32 rows per rank (ArrayTransformer)",
            .axes = axes,
            .cases = cases,
            .prepare = prepare,
            .no_cache_modes = "this study has its own modes"};
}

}  // namespace transrank::lab::study::ghost
