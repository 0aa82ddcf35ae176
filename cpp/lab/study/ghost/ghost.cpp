// SPDX-License-Identifier: BSD-3-Clause
// Question: what does it cost to update the ghost rows of a distributed array? Each rank owns a
// block of `rows`, 32x32x32 unless others are asked for, of `vdim` doubles each, and receives six
// faces. Timed is one update, from a barrier, by the slowest rank; bytes count as received per
// rank. Modes:
//   unmodified  the arrays never change, as in the published benchmark: lines that were read once
//               stay in the reader's cache, which flatters shared memory
//   rewritten   before each update the owner rewrites its block
//   used        the same, and the reader then reads its ghosts, which is timed too
// Compared are the engine's transports, what a program can do with MPI alone, and the floor.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "lab/study/baseline/arrays.hpp"
#include "lab/study/baseline/baseline.hpp"
#include "lab/study/ghost/pattern.hpp"
#include "lab/study/ghost/update.hpp"
#include "lab/study/table.hpp"
#include "lab/text/numbers.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::lab::study::ghost {
namespace {

constexpr std::string_view study_name = "ghost";
constexpr std::string_view published_rows = "32x32x32";
constexpr std::int64_t most_vdim = 4096;
constexpr std::int64_t most_block_extent = 1024;

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
                          .values = baseline::transports(),
                          .quick = {"auto", "mpi-packed", "floor"},
                          .on_request = baseline::others_than(
                              compared, [](const baseline::Entry& /*entry*/) { return true; })};
    transports.values.insert(transports.values.begin(), "auto");
    transports.values.insert(transports.values.end(), compared.begin(), compared.end());
    return {{.name = "pattern", .values = {"corrected"}, .on_request = {"literal", "remote"}},
            {.name = "vdim",
             .values = {"6", "20", "120"},
             .quick = {"20"},
             .open = whole_numbers(1, most_vdim),
             .numbers = true},
            // Quick: what a program does, which flatters no transport.
            {.name = "mode", .values = {"unmodified", "rewritten", "used"}, .quick = {"used"}},
            transports,
            {.name = "rows",
             .values = {std::string(published_rows)},
             .open = extents(3, 3, most_block_extent),
             .implied = published_rows}};
}

/// The block of a case; the published one where it names none.
Block block_of(const measure::Case& point) {
    Block block;
    std::ranges::copy(text::parse_numbers(point.text("rows", published_rows), most_block_extent),
                      block.extents.begin());
    return block;
}

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    auto points = combinations(study_name, selection, axes());
    std::map<std::string, std::int64_t> rows;  ///< received, by pattern and block
    for (auto& point : points) {
        const auto& pattern = point.text("pattern");
        const auto block = block_of(point);
        const auto& last = point.axes.back();
        const auto name =
            pattern + (last.name == "rows" ? "/" + std::get<std::string>(last.value) : "");
        if (!rows.contains(name)) {
            rows[name] = rows_received(make_route(pattern, 0, ranks, block));
        }
        const auto row_bytes = point.number("vdim") * std::int64_t{sizeof(double)};
        point.group = "ghost/" + name + "/" + std::to_string(point.number("vdim"));
        point.timing = measure::TimingKind::single;
        point.bytes_counted = static_cast<double>(rows[name] * row_bytes);
        point.send_bytes = block.rows() * row_bytes;
        point.receive_bytes = block.ghost_rows() * row_bytes;
        point.skip_reason = baseline::reason_against(point.text("transport"));
    }
    return points;
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    const auto& transport = point.text("transport");
    const auto* baseline = baseline::find(transport);
    const auto vdim = point.number("vdim");
    const auto block = block_of(point);
    const auto owned = block.rows() * vdim;
    const auto ghosts = block.ghost_rows() * vdim;
    auto arrays = Arrays::in(setting.workspace, point, owned, ghosts);
    if (baseline != nullptr && baseline->shared) {
        arrays = Arrays::shared(setting.comm, owned, ghosts);
    } else if (transport::prefers_shared_arrays(transport)) {
        arrays = Arrays::shared(setting.comm, point.group, owned, ghosts);
    }
    // A floor gathers as many rows for every pattern.
    const bool floor = baseline != nullptr && baseline->own_memory;
    auto mover = baseline::make(
        transport, {.comm = setting.comm,
                    .route = make_route(floor ? "remote" : point.text("pattern"),
                                        setting.comm.rank(), setting.comm.size(), block),
                    .fields = {field_of(arrays.source, arrays.destination,
                                        vdim * std::int64_t{sizeof(double)})},
                    .description = baseline::Description::rows});
    return std::make_unique<Update>(point, arrays, std::move(mover));
}

}  // namespace

Study study() {
    return {.name = study_name,
            .summary =
                "update of an array's ghost rows, 32x32x32 rows per rank (ArrayTransformer "
                "bench)",
            .axes = axes,
            .cases = cases,
            .prepare = prepare,
            .no_cache_modes = "this study has its own modes"};
}

}  // namespace transrank::lab::study::ghost
