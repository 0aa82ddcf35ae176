// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/study.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include "lab/study/named.hpp"
#include "lab/study/table.hpp"
#include "lab/text/sizes.hpp"

namespace transrank::lab::study {
namespace {

constexpr std::string_view all_of_them = "all";

const auto& table() {
    static const std::array studies{pingpong(),
                                    multi_pingpong(),
                                    pingping(),
                                    sendrecv(),
                                    exchange(),
                                    bandwidth(),
                                    bidirectional_bandwidth(),
                                    message_rate(),
                                    fan(),
                                    send_modes(),
                                    matching(),
                                    datatypes::study(),
                                    memory_copy(),
                                    one_sided::study(),
                                    collectives::study(),
                                    overlap::study(),
                                    neighborhood::study(),
                                    alltoall_algorithms::study(),
                                    ghost::study(),
                                    contention::study(),
                                    locality::study(),
                                    advection::study(),
                                    advection_solution(),
                                    redistribute::study(),
                                    plan_scaling::study()};
    return studies;
}

[[noreturn]] void refuse(const std::string& what, std::string_view given,
                         const std::vector<std::string>& known) {
    std::string message = "unknown " + what + " '" + std::string(given) + "'; known:";
    for (const auto& name : known) {
        message += ' ' + name;
    }
    throw std::invalid_argument(message);
}

void check_axes(const Study& study, const Selection& selection) {
    const auto axes = study.axes();
    for (const auto& [name, values] : selection.axes) {
        const auto* const axis = find_named(axes, name);
        if (axis == nullptr) {
            refuse("axis of study " + std::string(study.name), name, names_of(axes));
        }
        (void)values_of(selection, *axis);
    }
    if (study.sizes.empty() && !selection.sizes.empty()) {
        throw std::invalid_argument("study " + std::string(study.name) +
                                    " has no sizes; leave out --sizes");
    }
}

/// The selected values of count_axis, `all` standing for that number, each once.
std::vector<int> counts_of(const Selection& selection, const AxisChoice& axis, int all) {
    std::vector<int> counts;
    for (const auto& value : values_of(selection, axis)) {
        const int count = value == all_of_them ? all : std::stoi(value);
        if (std::ranges::find(counts, count) == counts.end()) {
            counts.push_back(count);
        }
    }
    return counts;
}

template <class Numbers>
std::vector<measure::Case> repeated(const std::vector<measure::Case>& points, std::string_view axis,
                                    const Numbers& numbers) {
    std::vector<measure::Case> longer;
    for (const auto& point : points) {
        for (const std::int64_t number : numbers) {
            longer.push_back(point);
            longer.back().axes.push_back({.name = std::string(axis), .value = number});
        }
    }
    return longer;
}

}  // namespace

std::vector<std::string> AxisChoice::known() const {
    auto all_values = values;
    all_values.insert(all_values.end(), on_request.begin(), on_request.end());
    return all_values;
}

std::vector<std::string> AxisChoice::further() const {
    auto all_values = on_request;
    if (open) {
        all_values.push_back(open->form);
    }
    return all_values;
}

int Study::ranks_used(int ranks) const {
    return most_ranks == 0 ? ranks : std::min(ranks, most_ranks);
}

std::span<const Study> all() {
    return table();
}

const Study& find(std::string_view name) {
    const auto* const found = find_named(table(), name);
    if (found == nullptr) {
        refuse("study", name, names_of(table()));
    }
    return *found;
}

std::vector<measure::Case> select(const Study& study, const Selection& selection, int ranks,
                                  measure::CacheMode cache, std::int64_t memory_bytes) {
    check_axes(study, selection);
    auto wanted = selection;
    wanted.cache = cache;
    wanted.memory_bytes = memory_bytes;
    auto cases = study.cases(wanted, study.ranks_used(ranks));
    for (auto& point : cases) {
        const auto needed = point.further_bytes + measure::Workspace::footprint(
                                                      point.send_bytes, point.receive_bytes, cache);
        if (ranks < study.fewest_ranks) {
            point.skip_reason = "needs at least " + std::to_string(study.fewest_ranks) +
                                " ranks, the launch has " + std::to_string(ranks);
        } else if (cache != measure::CacheMode::warm && !study.no_cache_modes.empty()) {
            point.skip_reason = std::string(study.no_cache_modes) + "; leave out --cache";
        } else if (point.skip_reason.empty() && needed > memory_bytes) {
            point.skip_reason = "needs " + text::format_size(needed) +
                                " of memory per process, the limit is " +
                                text::format_size(memory_bytes);
        }
    }
    return cases;
}

std::vector<std::int64_t> sizes_of(const Selection& selection, std::string_view default_sweep) {
    return selection.sizes.empty() ? text::parse_sizes(default_sweep) : selection.sizes;
}

std::vector<std::string> values_of(const Selection& selection, const AxisChoice& axis) {
    const auto wanted = selection.axes.find(axis.name);
    if (wanted == selection.axes.end()) {
        return axis.values;
    }
    const auto known = axis.known();
    std::vector<std::string> values;
    std::ranges::copy_if(known, std::back_inserter(values), [&](const std::string& value) {
        return std::ranges::find(wanted->second, value) != wanted->second.end();
    });
    for (const auto& value : wanted->second) {
        if (std::ranges::find(known, value) == known.end() &&
            !(axis.open && axis.open->contain(value))) {
            auto all_values = axis.values;
            std::ranges::copy(axis.further(), std::back_inserter(all_values));
            refuse(std::string(axis.name), value, all_values);
        }
        if (std::ranges::find(values, value) == values.end()) {
            values.push_back(value);
        }
    }
    return values;
}

AxisChoice count_axis(std::string_view name) {
    return {.name = name, .values = {std::string(all_of_them)}, .open = whole_numbers(1, 1 << 20)};
}

std::vector<measure::Case> spread(const std::vector<measure::Case>& points,
                                  const Selection& selection, const AxisChoice& axis) {
    const auto values = values_of(selection, axis);
    std::vector<measure::Case> longer;
    for (const auto& point : points) {
        for (const auto& value : values) {
            longer.push_back(point);
            if (value != axis.implied) {
                longer.back().axes.push_back(
                    {.name = std::string(axis.name),
                     .value = axis.numbers ? measure::AxisValue(std::stoll(value)) : value});
            }
        }
    }
    return longer;
}

std::vector<measure::Case> spread_sizes(const std::vector<measure::Case>& points,
                                        const Selection& selection,
                                        std::string_view default_sweep) {
    return repeated(points, "bytes", sizes_of(selection, default_sweep));
}

std::vector<measure::Case> spread_counts(const std::vector<measure::Case>& points,
                                         const Selection& selection, const AxisChoice& axis,
                                         int all) {
    return repeated(points, axis.name, counts_of(selection, axis, all));
}

std::vector<measure::Case> combinations(std::string_view study, const Selection& selection,
                                        const std::vector<AxisChoice>& axes) {
    std::vector<measure::Case> made(1);
    made.front().study = study;
    for (const auto& axis : axes) {
        made = spread(made, selection, axis);
    }
    return made;
}

}  // namespace transrank::lab::study
