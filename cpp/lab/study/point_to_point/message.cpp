// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/point_to_point/message.hpp"

#include <algorithm>
#include <limits>

namespace transrank::lab::study {
namespace {

constexpr std::string_view match_name = "match";
constexpr std::string_view exact = "exact";
constexpr std::string_view any_source = "any-source";
constexpr std::string_view any_tag = "any-tag";
constexpr std::string_view any = "any";

// Slots of one fill differ too: a message from the wrong slot is a wrong message.
std::uint64_t slot_stamp(std::uint64_t stamp, std::int64_t slot) {
    return (stamp << 8U) + static_cast<std::uint64_t>(slot);
}

}  // namespace

MessageOperation::MessageOperation(const measure::Case& point, const Setting& setting, int target,
                                   int source)
    : setting_(setting),
      target_(target),
      source_(source),
      bytes_(static_cast<int>(point.number("bytes"))),
      slots_(setting.workspace.slots(bytes_)),
      send_(setting.workspace.send(0, bytes_, bytes_).data()),
      receive_(setting.workspace.receive(0, bytes_, bytes_).data()),
      stride_(slots_ > 1 ? setting.workspace.send(1, bytes_, bytes_).data() - send_ : 0) {}

void MessageOperation::fill(std::uint64_t stamp) {
    stamp_ = stamp;
    for (std::int64_t slot = 0; slot < slots_; ++slot) {
        measure::Payload{.source = rank(), .target = target_, .stamp = slot_stamp(stamp, slot)}
            .write(side(send(slot)));
        measure::poison(side(receive(slot)));
    }
}

std::uint64_t MessageOperation::verify(std::int64_t repetitions) {
    if (source_ == MPI_PROC_NULL) {
        return 0;
    }
    const std::int64_t used = std::min(repetitions, slots_);
    for (std::int64_t slot = 0; slot < used; ++slot) {
        measure::Payload{.source = source_, .target = rank(), .stamp = slot_stamp(stamp_, slot)}
            .check(side(receive(slot)));
    }
    return static_cast<std::uint64_t>(used * bytes_);
}

AxisChoice match_axis() {
    return {.name = match_name,
            .values = {std::string(exact)},
            .on_request = {std::string(any_source), std::string(any_tag), std::string(any)},
            .implied = exact};
}

Match match_of(const measure::Case& point, int source, int tag) {
    const auto match = point.text(match_name, exact);
    return {.source = match == any_source || match == any ? MPI_ANY_SOURCE : source,
            .tag = match == any_tag || match == any ? MPI_ANY_TAG : tag};
}

std::string reason_against_message(std::int64_t bytes) {
    return bytes > std::numeric_limits<int>::max()
               ? "one message of this study holds at most 2^31 - 1 bytes"
               : "";
}

void as_message(measure::Case& point) {
    const auto bytes = point.number("bytes");
    point.group = point.study;
    point.bytes_counted = static_cast<double>(bytes);
    point.send_bytes = bytes;
    point.receive_bytes = bytes;
    point.skip_reason = reason_against_message(bytes);
}

std::vector<measure::Case> message_cases(std::string_view study, const Selection& selection,
                                         const std::function<void(measure::Case& point)>& adjust,
                                         const std::vector<AxisChoice>& axes) {
    auto points = spread_sizes(combinations(study, selection, axes), selection, message_sizes);
    for (auto& point : points) {
        as_message(point);
        adjust(point);
    }
    return points;
}

}  // namespace transrank::lab::study
