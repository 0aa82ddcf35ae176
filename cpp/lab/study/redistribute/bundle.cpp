// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/redistribute/bundle.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
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
    // A side of lists has no parts to be named.
    const std::string_view parts = point.text("parts");
    const auto dash = parts.find('-');
    return {scaled(grid_named(point.text("grid")), point.number("scale")),
            layouts_named(point.text("layouts")),
            {.source = parts_named(parts.substr(0, dash)),
             .destination = parts_named(parts.substr(dash + 1))},
            setting.comm.rank(),
            setting.comm.size()};
}

std::vector<copy::Field> fields_of(const Arrays& arrays) {
    std::vector<copy::Field> all;
    for (int field = 0; field < fields; ++field) {
        all.push_back(study::field_of(field_of(arrays.source, field),
                                      field_of(arrays.destination, field), sizeof(double)));
    }
    return all;
}

Bundle::Bundle(const measure::Case& point, const Setting& setting, Arrays arrays, Store store)
    : comm_(setting.comm),
      task_(task_of(point, setting)),
      stores_(point.text("phase") == "store"),
      rewrites_(point.text("mode") != "unmodified"),
      reads_(point.text("mode") == "used" || point.text("mode") == "cycle"),
      times_writing_(point.text("mode") == "cycle"),
      arrays_(std::move(arrays)),
      store_(std::move(store)) {
    this->store();
}

void Bundle::store() {
    move_ = nullptr;
    move_ = store_(comm_, task_, fields_of(arrays_));
}

void Bundle::settle(int runs) {
    for (int i = 0; i < runs; ++i) {
        prepare();
        move_();
    }
}

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
        stores_ ? store() : move_();
        if (reads_) {
            read_ += sum_of(arrays_.destination);
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

std::uint64_t Bundle::verify(std::int64_t /*repetitions*/) {
    if (stores_) {
        move_();  // by what was stored last
    }
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

}  // namespace transrank::lab::study::redistribute
