// SPDX-License-Identifier: BSD-3-Clause
// Question: what can memory do, which no message is faster than? memcpy, a copy that writes past
// the caches, and the triad of STREAM, by each rank alone and by all at once. `bytes` is what a
// repetition reads: the source of a copy, or both operands of the triad. Alone, one rank of a node
// runs its batch while the node's others wait, at most eight ranks of each node one after another
// (measure/turns.hpp); the number is the slowest rank's. Together, all begin at a barrier;
// the number is the slowest rank's again and the bytes of all count. A copy counts each byte once,
// so that its rate stands beside a message's, the triad 24 bytes per element as STREAM does.
#include <array>

#include "lab/study/baseline/baseline.hpp"
#include "lab/study/baseline/memory_copies.hpp"
#include "lab/study/memory_copy/memory_operation.hpp"
#include "lab/study/named.hpp"
#include "lab/study/table.hpp"

namespace transrank::lab::study {
namespace {

constexpr std::string_view study_name = "memory-copy";
constexpr std::string_view default_sizes = "4KiB..256MiB:x4";

template <copy::Copy (*Kind)()>
std::unique_ptr<measure::Operation> make_copy(const measure::Case& point, const Setting& setting) {
    return make_copy_operation(point, setting, Kind());
}

std::unique_ptr<measure::Operation> make_triad(const measure::Case& point, const Setting& setting) {
    return make_triad_operation(point, setting, triad_kernels().back().triad);
}

struct Kernel {
    std::string_view name;
    std::unique_ptr<measure::Operation> (*make)(const measure::Case& point, const Setting& setting);
};
constexpr std::array kernels{
    Kernel{.name = "memcpy", .make = make_copy<baseline::library_copy>},
    Kernel{.name = "nontemporal", .make = make_copy<baseline::nontemporal_copy>},
    Kernel{.name = "triad", .make = make_triad}};

std::vector<AxisChoice> axes() {
    return {{.name = "kernel", .values = names_of(kernels), .quick = {"memcpy"}},
            {.name = "active", .values = {"alone", "together"}}};
}

std::string reason_to_skip(std::string_view kernel, std::int64_t bytes) {
    if (kernel == "triad" && bytes % triad_bytes_read != 0) {
        return "the triad reads a multiple of " + std::to_string(triad_bytes_read) + " bytes";
    }
    return baseline::reason_against(kernel);
}

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    auto points =
        spread_sizes(combinations(study_name, selection, axes()), selection, default_sizes);
    for (auto& point : points) {
        const auto& kernel = point.text("kernel");
        const auto bytes = point.number("bytes");
        const bool alone = point.text("active") == "alone";
        point.group = study_name;
        point.timing = alone ? measure::TimingKind::in_turn : measure::TimingKind::bulk;
        point.bytes_counted = static_cast<double>(bytes) * (alone ? 1 : ranks);
        if (kernel == "triad") {
            point.bytes_counted *= double{triad_bytes_counted} / triad_bytes_read;
        }
        point.send_bytes = bytes;
        point.receive_bytes = bytes;
        point.skip_reason = reason_to_skip(kernel, bytes);
    }
    return points;
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    return named(kernels, point.text("kernel"), "kernel").make(point, setting);
}

}  // namespace

Study memory_copy() {
    return {.name = study_name,
            .summary =
                "memcpy, a copy that bypasses the caches, and STREAM's triad: one rank alone, or "
                "all at once",
            .sizes = default_sizes,
            .axes = axes,
            .cases = cases,
            .prepare = prepare,
            .measures_memory = true};
}

}  // namespace transrank::lab::study
