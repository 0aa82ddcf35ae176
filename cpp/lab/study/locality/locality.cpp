// SPDX-License-Identifier: BSD-3-Clause
// Question: what does memory of another domain cost? One rank on each core, all of a node at once,
// works on memory that a rank of the same node has touched first: itself (`own`), by the
// permutation of the source (`exchanged`: half of each domain's ranks use memory of the
// neighboring, the counterpart and the diagonal domain), or the rank at its position K domains
// farther on
// (`away-K`); `own` and all of these together are the whole matrix of computing domain by memory
// domain. Where the pages really are is asked of the kernel, and recorded. What is done there:
// a product of matrices, which hides most of the distance, the triad of STREAM, and a chase of
// pointers. The number is the slowest rank's; each rank's own is recorded.
// Source: Good Practice Guide, Preparing for HECToR Phase IIb (24-core), appendix, figures 2 and 3.
#include "lab/study/locality/kernels.hpp"
#include "lab/study/named.hpp"
#include "lab/study/table.hpp"
#include "transrank/mpi/agreement.hpp"

namespace transrank::lab::study::locality {
namespace {

constexpr std::string_view study_name = "locality";
constexpr std::int64_t most_order = 1 << 15;

bool is_away(std::string_view text) {
    constexpr std::string_view prefix = "away-";
    return text.starts_with(prefix) &&
           whole_numbers(1, most_order).contain(text.substr(prefix.size()));
}

std::vector<AxisChoice> axes() {
    return {{.name = "kernel", .values = names_of(kernels())},
            {.name = "arrangement",
             .values = {"own", "exchanged", "away-1", "away-2", "away-3"},
             .open = OpenValues{.form = "away-K", .contain = is_away}},
            {.name = "order",
             .values = {"3000"},
             .open = whole_numbers(1, most_order),
             .numbers = true}};
}

const Kernel& find_kernel(std::string_view name) {
    return named(kernels(), name, "kernel");
}

std::vector<measure::Case> cases(const Selection& selection, int /*ranks*/) {
    auto points = combinations(study_name, selection, axes());
    for (auto& point : points) {
        const Kernel& kernel = find_kernel(point.text("kernel"));
        const auto order = point.number("order");
        point.group = study_name;
        point.operations_per_repetition = kernel.operations_per_repetition;
        point.bytes_counted = kernel.bytes_counted(order);
        point.further_bytes = static_cast<std::int64_t>(kernel.doubles(order) * sizeof(double));
    }
    return points;
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    const auto seat = mpi::agreed(setting.comm, own_seat);
    return find_kernel(point.text("kernel"))
        .make(setting.comm, seat, point.text("arrangement"), point.number("order"));
}

}  // namespace

Study study() {
    return {.name = study_name,
            .summary =
                "computing on memory of each memory domain of a node, local or remote (first "
                "touch)",
            .axes = axes,
            .cases = cases,
            .prepare = prepare,
            .surveyed = false,
            .compares_ranks = true,
            .measures_memory = true};
}

}  // namespace transrank::lab::study::locality
