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

#include "lab/study/baseline/baseline.hpp"
#include "lab/study/ghost/pattern.hpp"
#include "lab/study/ghost/update.hpp"
#include "lab/study/table.hpp"
#include "transrank/memory/array_memory.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::lab::study::ghost {
namespace {

constexpr std::string_view study_name = "ghost";

std::span<double> doubles(std::span<std::byte> bytes) {
    return {reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double)};
}

/// Arrays that node-mates can map.
class SharedArrays {
public:
    explicit SharedArrays(std::int64_t vdim)
        : owned_(static_cast<std::size_t>(block_rows * vdim) * sizeof(double)),
          ghosts_(static_cast<std::size_t>(ghost_rows * vdim) * sizeof(double)) {}

    [[nodiscard]] static Arrays make(std::int64_t vdim) {
        return of(std::make_shared<SharedArrays>(vdim));
    }

    /// One pair for the exchanges of a group: when one of them is over, nobody reads it any more.
    [[nodiscard]] static Arrays get(std::int64_t vdim) {
        static std::map<std::int64_t, std::weak_ptr<SharedArrays>> known;
        auto shared = known[vdim].lock();
        if (!shared) {
            shared = std::make_shared<SharedArrays>(vdim);
            known[vdim] = shared;
        }
        return of(shared);
    }

private:
    static Arrays of(const std::shared_ptr<SharedArrays>& shared) {
        return {.owned = doubles(shared->owned_.bytes()),
                .ghosts = doubles(shared->ghosts_.bytes()),
                .owner = shared};
    }

    memory::ArrayMemory owned_;
    memory::ArrayMemory ghosts_;
};

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
             .on_request = {"1",  "2",  "3",  "4",  "5",  "8",  "10",  "12",  "16",  "24",
                            "32", "40", "48", "64", "80", "96", "128", "160", "192", "256"}},
            {.name = "mode", .values = {"unmodified", "rewritten", "used"}},
            transports};
}

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    std::vector<measure::Case> points;
    const auto choices = axes();
    for (const auto& pattern : values_of(selection, choices[0])) {
        const auto rows = rows_received(make_route(pattern, 0, ranks));
        for (const auto& vdim_text : values_of(selection, choices[1])) {
            const std::int64_t vdim = std::stoll(vdim_text);
            for (const auto& mode : values_of(selection, choices[2])) {
                for (const auto& transport : values_of(selection, choices[3])) {
                    auto& point = points.emplace_back();
                    point.study = study_name;
                    point.axes = {{.name = "pattern", .value = pattern},
                                  {.name = "vdim", .value = vdim},
                                  {.name = "mode", .value = mode},
                                  {.name = "transport", .value = transport}};
                    point.group = "ghost/" + pattern + "/" + vdim_text;
                    point.timing = measure::TimingKind::single;
                    point.bytes_counted = static_cast<double>(rows * vdim) * sizeof(double);
                    point.send_bytes = block_rows * vdim * std::int64_t{sizeof(double)};
                    point.receive_bytes = ghost_rows * vdim * std::int64_t{sizeof(double)};
                    point.skip_reason = selection.cache != measure::CacheMode::warm
                                            ? "this study has its own modes; leave out --cache"
                                            : baseline::obstacle(transport);
                }
            }
        }
    }
    return points;
}

Arrays workspace_arrays(const measure::Case& point, const measure::Workspace& workspace) {
    return {.owned = doubles(workspace.send(0, point.send_bytes, point.send_bytes)),
            .ghosts = doubles(workspace.receive(0, point.receive_bytes, point.receive_bytes)),
            .owner = nullptr};
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    const auto& transport = point.text("transport");
    const auto* baseline = baseline::find(transport);
    auto arrays = workspace_arrays(point, setting.workspace);
    mpi::agree(setting.comm, [&] {
        if (baseline != nullptr && baseline->shared) {
            arrays = SharedArrays::make(point.number("vdim"));
        } else if (transport::prefers_shared_arrays(transport)) {
            arrays = SharedArrays::get(point.number("vdim"));
        }
    });
    // A floor gathers as many rows for every pattern.
    const bool floor = baseline != nullptr && baseline->own_memory;
    auto mover =
        baseline::make(transport, {.comm = setting.comm,
                                   .route = make_route(floor ? "remote" : point.text("pattern"),
                                                       setting.comm.rank(), setting.comm.size()),
                                   .fields = {field_of(arrays, point.number("vdim"))},
                                   .description = baseline::Description::rows});
    return std::make_unique<Update>(point, arrays, std::move(mover));
}

}  // namespace

Study study() {
    return {.name = study_name,
            .summary = "ghost update of 32x32x32 rows per rank (ArrayTransformer)",
            .sizes = "",
            .axes = axes,
            .fewest_ranks = 1,
            .most_ranks = 0,
            .cases = cases,
            .prepare = prepare};
}

}  // namespace transrank::lab::study::ghost
