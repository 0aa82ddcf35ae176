// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/case.hpp"

#include <algorithm>
#include <stdexcept>

#include "lab/text/sizes.hpp"

namespace transrank::lab::measure {
namespace {

const Axis& find(const Case& point, std::string_view axis) {
    const auto found = std::ranges::find(point.axes, axis, &Axis::name);
    if (found == point.axes.end()) {
        throw std::out_of_range("case " + point.id() + " has no axis '" + std::string(axis) + "'");
    }
    return *found;
}

std::string value_text(const Axis& axis) {
    if (const auto* text = std::get_if<std::string>(&axis.value)) {
        return *text;
    }
    const auto number = std::get<std::int64_t>(axis.value);
    return axis.name == "bytes" ? text::format_size(number) : std::to_string(number);
}

}  // namespace

std::string_view name(TimingKind kind) {
    switch (kind) {
        case TimingKind::bulk:
            return "bulk";
        case TimingKind::single:
            return "single";
        case TimingKind::in_turn:
            return "in-turn";
        case TimingKind::own:
            return "own";
    }
    return "unknown";
}

std::string_view name(Clocks clocks) {
    return clocks == Clocks::all ? "all" : "root";
}

std::string Case::id() const {
    std::string id = study;
    for (const auto& axis : axes) {
        id += '/' + value_text(axis);
    }
    return id;
}

std::int64_t Case::number(std::string_view axis) const {
    return std::get<std::int64_t>(find(*this, axis).value);
}

const std::string& Case::text(std::string_view axis) const {
    return std::get<std::string>(find(*this, axis).value);
}

std::string Case::text(std::string_view axis, std::string_view otherwise) const {
    return std::ranges::find(axes, axis, &Axis::name) == axes.end() ? std::string(otherwise)
                                                                    : text(axis);
}

}  // namespace transrank::lab::measure
