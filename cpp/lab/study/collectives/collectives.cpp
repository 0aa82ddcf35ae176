// SPDX-License-Identifier: BSD-3-Clause
// Question: what does each collective operation of MPI cost, in each form that MPI offers it in?
//
// Timed as IMB-MPI1 and OSU do: a common start before each call, which is not timed; MPI_Barrier
// alone over a batch from a common start, as IMB. A non-blocking call is completed at once by
// MPI_Wait (IMB-NBC's _pure); of a persistent one MPI_Start and MPI_Wait are timed, its making is
// not. The number is the slowest rank's. IMB's t_max is that too, but of the ranks' means; OSU's is
// the mean over ranks.
//
// `bytes` is what IMB and OSU mean by it: the length of a reduction's vector, of the broadcast
// message, and of each block that one rank sends to one other in the rest. Bytes count as often as
// one rank has them in its send buffer, the root where only it sends: once, and for each rank in
// scatter and alltoall. Neither IMB nor OSU prints MB/s of collectives.
//
// The root is rank 0, as IMB (since 2017) and OSU have it by default; `rotating` takes each rank in
// turn, as IMB with -root_shift on and OSU with -k rotate. Reductions add up MPI_FLOAT as IMB;
// OSU's default of MPI_CHAR, of which the standard knows no sum, is nearest to `int8` (MPI_INT8_T).
// MPI_Reduce_scatter shares its vector out as evenly as it goes, as IMB and OSU; what each rank
// receives of MPI_Reduce_scatter_block is a block. `in-place`: MPI_IN_PLACE on every rank, whose
// contribution is written anew before each call, which is not timed.
//
// Buffers begin on a page, as OSU's. IMB uses what MPI_Alloc_mem gives it; from 4 to 64 KiB, where
// copies stay in the inner caches, its times were up to a fifth longer than OSU's and these.
#include <algorithm>
#include <limits>

#include "lab/study/collectives/contents.hpp"
#include "lab/study/collectives/operation.hpp"
#include "lab/study/named.hpp"
#include "lab/study/table.hpp"
#include "lab/text/sizes.hpp"

namespace transrank::lab::study::collectives {
namespace {

constexpr std::string_view study_name = "collectives";
constexpr std::string_view default_sizes = "0..4MiB";
constexpr std::int64_t most_count = std::numeric_limits<int>::max();

AxisChoice operation_axis() {
    // Quick: what programs live on.
    return {.name = "operation",
            .values = names_of(all()),
            .quick = {"allreduce", "alltoall", "bcast", "barrier"}};
}

AxisChoice form_axis() {
    return {.name = "form",
            .values = {std::string(blocking_form), std::string(nonblocking_form),
                       std::string(persistent_form)},
            .quick = {std::string(blocking_form)},
            .on_request = {std::string(in_place_form)}};
}

AxisChoice datatype_axis() {
    return {.name = "datatype",
            .values = names_of(datatypes().first(1)),
            .on_request = names_of(datatypes().subspan(1))};
}

AxisChoice reduction_axis() {
    return {.name = "reduction",
            .values = {std::string(sum)},
            .on_request = {std::string(maximum)},
            .implied = sum};
}

AxisChoice root_axis() {
    return {.name = "root",
            .values = {std::string(fixed_root)},
            .on_request = {std::string(rotating_root)}};
}

std::vector<AxisChoice> axes() {
    return {operation_axis(), form_axis(), datatype_axis(), reduction_axis(), root_axis()};
}

using Cases = std::vector<measure::Case>;

const Datatype* numbers_of(const measure::Case& point, const Collective& operation) {
    return operation.flow.reduces() ? &find_datatype(point.text("datatype")) : nullptr;
}

std::int64_t element_bytes(const Datatype* numbers) {
    return numbers == nullptr ? 1 : numbers->bytes;
}

std::string reason_to_skip(const Collective& operation, std::int64_t bytes, const Datatype* numbers,
                           int ranks) {
    const auto unit = element_bytes(numbers);
    if (bytes % unit != 0) {
        return text::format_size(bytes) + " is no multiple of the " + text::format_size(unit) +
               " of a " + std::string(numbers->name);
    }
    if (bytes / unit > most_count) {
        return "a call takes at most 2^31 - 1 elements of one rank";
    }
    if (operation.displaced && bytes * ranks > most_count) {
        return "the displacements of " + operation.mpi_name() + " end at 2^31 - 1 bytes";
    }
    if (numbers != nullptr && ranks > numbers->most_ranks) {
        return "sums of " + std::string(numbers->name) + " over more than " +
               std::to_string(numbers->most_ranks) + " ranks cannot be verified";
    }
    return "";
}

void complete(measure::Case& point, const Collective& operation, int ranks) {
    if (point.text("form") == persistent_form) {
        point.skip_reason = operation.reason_against_persistent();
    }
    if (point.text("form") == in_place_form && !operation.in_place) {
        point.skip_reason = operation.mpi_name() + " does not take MPI_IN_PLACE on every rank";
    }
    if (!operation.flow.moves()) {
        return;
    }
    const auto bytes = point.number("bytes");
    point.timing = measure::TimingKind::single;
    if (point.skip_reason.empty()) {
        point.skip_reason = reason_to_skip(operation, bytes, numbers_of(point, operation), ranks);
    }
    if (point.skip_reason.empty()) {
        const auto unit = element_bytes(numbers_of(point, operation));
        const auto bytes_used = [&](const Side& side) {
            return unit * used(side.blocks, bytes / unit, 0, ranks);
        };
        point.send_bytes = bytes_used(operation.flow.send);
        point.receive_bytes = point.text("form") == in_place_form
                                  ? std::max(point.send_bytes, bytes_used(operation.flow.receive))
                                  : bytes_used(operation.flow.receive);
        point.bytes_counted = static_cast<double>(point.send_bytes);
    }
}

Cases cases_of(const Collective& operation, const Selection& selection, int ranks) {
    measure::Case point;
    point.study = study_name;
    point.axes = {{.name = "operation", .value = std::string(operation.name)}};
    point.group = point.id();
    Cases points = spread({point}, selection, form_axis());
    if (operation.flow.reduces()) {
        points = spread(points, selection, datatype_axis());
        points = spread(points, selection, reduction_axis());
    }
    if (operation.flow.rooted()) {
        points = spread(points, selection, root_axis());
    }
    if (operation.flow.moves()) {
        points = spread_sizes(points, selection, default_sizes);
        std::erase_if(points, [&](const measure::Case& each) {  // by default whole, as IMB
            const auto unit = element_bytes(numbers_of(each, operation));
            return selection.sizes.empty() && each.number("bytes") % unit != 0;
        });
    }
    for (auto& one : points) {
        complete(one, operation, ranks);
    }
    return points;
}

Cases cases(const Selection& selection, int ranks) {
    Cases points;
    for (const auto& name : values_of(selection, operation_axis())) {
        std::ranges::move(cases_of(find(name), selection, ranks), std::back_inserter(points));
    }
    return points;
}

}  // namespace

Study study() {
    return {.name = study_name,
            .summary = "collective operations: blocking, non-blocking, persistent (IMB, OSU)",
            .sizes = default_sizes,
            .axes = axes,
            .cases = cases,
            .prepare = make_operation};
}

}  // namespace transrank::lab::study::collectives
