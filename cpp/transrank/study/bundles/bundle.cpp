// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/study/bundles/bundle.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include "transrank/measure/payload.hpp"
#include "transrank/route/redistribution.hpp"

namespace transrank::study::bundles {
namespace {

std::span<double> field_of(std::span<double> bundle, int field) {
    const auto each = bundle.size() / fields;
    return bundle.subspan(static_cast<std::size_t>(field) * each, each);
}

}  // namespace

route::Route Task::route() const {
    return route::redistribution(rank, ranks, source, destination);
}

Grid grid_of(const measure::Case& point) {
    return scaled(grid_named(point.text("grid")), point.number("scale"));
}

Bundle::Bundle(const measure::Case& point, const Setting& setting, Arrays arrays)
    : task_(grid_of(point), setting.comm.rank(), setting.comm.size()), arrays_(std::move(arrays)) {}

void Bundle::fill(std::uint64_t stamp) {
    stamp_ = stamp;
    const auto block = block_of(task_.source, task_.rank);
    for (int field = 0; field < fields; ++field) {
        Waves(task_.grid, block, field, stamp).write(field_of(arrays_.source, field));
    }
    std::ranges::fill(arrays_.destination, std::numeric_limits<double>::quiet_NaN());
}

void Bundle::run(std::int64_t repetitions) {
    for (std::int64_t i = 0; i < repetitions; ++i) {
        redistribute();
    }
}

std::uint64_t Bundle::verify(std::int64_t /*repetitions*/) {
    const auto block = block_of(task_.destination, task_.rank);
    for (int field = 0; field < fields; ++field) {
        const auto values = field_of(arrays_.destination, field);
        const auto wrong = Waves(task_.grid, block, field, stamp_).first_difference(values);
        if (wrong >= 0) {
            throw measure::WrongPayload("wrong value on rank " + std::to_string(task_.rank) +
                                        ": field " + std::to_string(field) + " holds " +
                                        std::to_string(values[static_cast<std::size_t>(wrong)]) +
                                        " in local cell " + std::to_string(wrong) +
                                        ", not what its sum of sine waves is there");
        }
    }
    return arrays_.destination.size_bytes();
}

std::vector<transport::Field> Bundle::bundle() const {
    std::vector<transport::Field> bundle;
    for (int field = 0; field < fields; ++field) {
        const auto source = field_of(arrays_.source, field);
        const auto destination = field_of(arrays_.destination, field);
        bundle.push_back({.source = std::as_bytes(source).data(),
                          .source_bytes = static_cast<std::int64_t>(source.size_bytes()),
                          .destination = std::as_writable_bytes(destination).data(),
                          .destination_bytes = static_cast<std::int64_t>(destination.size_bytes()),
                          .unit_bytes = sizeof(double),
                          .scalar = transport::Scalar::float64});
    }
    return bundle;
}

}  // namespace transrank::study::bundles
