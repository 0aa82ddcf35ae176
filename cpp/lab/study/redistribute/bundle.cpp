// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/redistribute/bundle.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "lab/measure/payload.hpp"

namespace transrank::lab::study::redistribute {
namespace {

std::span<double> field_of(std::span<double> bundle, int field) {
    const auto each = bundle.size() / fields;
    return bundle.subspan(static_cast<std::size_t>(field) * each, each);
}

}  // namespace

Task task_of(const measure::Case& point, const Setting& setting) {
    return {scaled(grid_named(point.text("grid")), point.number("scale")),
            layouts_named(point.text("layouts")), setting.comm.rank(), setting.comm.size()};
}

Bundle::Bundle(const measure::Case& point, const Setting& setting, Arrays arrays)
    : task_(task_of(point, setting)),
      rewrites_(point.text("mode") != "unmodified"),
      reads_(point.text("mode") == "used" || point.text("mode") == "cycle"),
      times_writing_(point.text("mode") == "cycle"),
      arrays_(std::move(arrays)) {}

void Bundle::fill(std::uint64_t stamp) {
    form_waves(stamp);
    write_sources(stamp_);
    std::ranges::fill(arrays_.destination, std::numeric_limits<double>::quiet_NaN());
}

void Bundle::prepare() {
    if (rewrites_) {
        form_waves(stamp_ + 1);
        if (!times_writing_) {
            write_sources(stamp_);
        }
    }
}

void Bundle::run(std::int64_t repetitions) {
    for (std::int64_t i = 0; i < repetitions; ++i) {
        if (times_writing_) {
            write_sources(stamp_);
        }
        redistribute();
        if (reads_) {
            read_destinations();
        }
    }
}

void Bundle::form_waves(std::uint64_t stamp) {
    stamp_ = stamp;
    waves_.clear();
    for (int field = 0; field < fields; ++field) {
        waves_.emplace_back(task_.grid, task_.source.share, field, stamp);
    }
}

void Bundle::write_sources(std::uint64_t /*stamp*/) {
    for (int field = 0; field < fields; ++field) {
        waves_[static_cast<std::size_t>(field)].write(field_of(arrays_.source, field));
    }
}

void Bundle::read_destinations() {
    std::array<double, 8> sums{};
    const double* in = arrays_.destination.data();
    for (std::size_t i = 0; i + sums.size() <= arrays_.destination.size(); i += sums.size()) {
        for (std::size_t lane = 0; lane < sums.size(); ++lane) {
            sums[lane] += in[i + lane];
        }
    }
    read_ = std::accumulate(sums.begin(), sums.end(), read_);
}

std::uint64_t Bundle::verify(std::int64_t /*repetitions*/) {
    for (int field = 0; field < fields; ++field) {
        const auto values = field_of(arrays_.destination, field);
        const auto wrong =
            Waves(task_.grid, task_.destination.share, field, stamp_).first_difference(values);
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

}  // namespace transrank::lab::study::redistribute
