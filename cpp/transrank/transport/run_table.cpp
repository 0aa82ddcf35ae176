// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/run_table.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>

namespace transrank::transport {
namespace {

// Of a longer row of runs the strides are kept, or it is one run.
constexpr std::int64_t most_units_listed = 4;
// Of memory for indices: to give back less costs more than it gains.
constexpr std::size_t least_share_given_back = 8;

bool fits(std::int64_t offset) {
    return offset >= std::numeric_limits<std::int32_t>::min() &&
           offset <= std::numeric_limits<std::int32_t>::max();
}

// By Newton's method: each step doubles the bits that are right, of which an odd number has three.
std::uint64_t inverse_of_odd(std::uint64_t number) {
    std::uint64_t inverse = number;
    for (int right = 3; right < 64; right *= 2) {
        inverse *= 2 - (number * inverse);
    }
    return inverse;
}

/// Tables that several exchanges may use.
struct Tables {
    using Key = std::tuple<const route::Leg*, std::int64_t, LengthRange>;
    std::mutex mutex;
    std::map<Key, std::weak_ptr<const RunTable>> known;
    std::size_t enough = 64;  ///< when those that nobody has any more are looked for

    static Tables& instance() {
        static auto* const one = new Tables;  // never destroyed: another thread may ask
        return *one;
    }
    void forget_unused() {
        if (known.size() >= enough) {
            std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
            enough = 2 * known.size() + 64;
        }
    }
};

}  // namespace

RunTable::RunTable(std::int64_t unit_bytes)
    : unit_bytes_(unit_bytes),
      unit_shift_(std::countr_zero(static_cast<std::uint64_t>(unit_bytes))),
      unit_inverse_(inverse_of_odd(static_cast<std::uint64_t>(unit_bytes) >> unit_shift_)),
      copy_units_(memory::unit_copy(unit_bytes)) {}

void RunTable::reserve(std::int64_t segments, std::int64_t units) {
    if (copy_units_ != nullptr) {
        indices_.reserve(static_cast<std::size_t>(std::min(units, most_units_listed * segments)));
    }
}

void RunTable::append(ByteRuns runs) {
    bytes_ += runs.length * runs.count;
    if (runs.source_stride == runs.length && runs.destination_stride == runs.length) {
        runs.length *= runs.count;
        runs.count = 1;
    }
    if (last_ && last_->count == 1 && runs.count == 1 &&
        runs.source == last_->source + last_->length &&
        runs.destination == last_->destination + last_->length) {
        last_->length += runs.length;
        return;
    }
    write_last();
    last_ = runs;
}

void RunTable::append(const Nest& nest) {
    if (!pays_to_turn(nest)) {
        const auto& runs = nest.loops.front();
        for_each_step(nest.used().subspan(1), nest.source, nest.destination,
                      [&](std::int64_t source, std::int64_t destination) {
                          append(ByteRuns{.source = source,
                                          .destination = destination,
                                          .length = nest.length,
                                          .count = runs.count,
                                          .source_stride = runs.source_stride,
                                          .destination_stride = runs.destination_stride});
                      });
        return;
    }
    write_last();
    others_.push_back({.runs_before = runs_.size(), .what = TransposedRuns(nest)});
    bytes_ += nest.units();
}

void RunTable::finish() {
    write_last();
    runs_.shrink_to_fit();
    others_.shrink_to_fit();
    if (indices_.capacity() - indices_.size() >= indices_.capacity() / least_share_given_back) {
        indices_.shrink_to_fit();
    }
}

void RunTable::write_last() {
    if (last_) {
        write(*last_);
        last_.reset();
    }
}

void RunTable::write(const ByteRuns& runs) {
    if (copy_units_ == nullptr || runs.length * runs.count > most_units_listed * unit_bytes_ ||
        !write_units(runs)) {
        runs_.push_back(runs);
    }
}

/// Returns false where the units are too far apart.
bool RunTable::write_units(const ByteRuns& runs) {
    const auto from_step = in_units(runs.source_stride);
    const auto to_step = in_units(runs.destination_stride);
    const auto length = in_units(runs.length);
    const auto from_end = ((runs.count - 1) * from_step) + length;
    const auto to_end = ((runs.count - 1) * to_step) + length;
    if (!fits(from_end) || !fits(to_end)) {
        return false;
    }
    auto* list = others_.empty() || others_.back().runs_before != runs_.size()
                     ? nullptr
                     : std::get_if<List>(&others_.back().what);
    std::int64_t from = 0;
    std::int64_t to = 0;
    if (list != nullptr) {
        from = in_units(runs.source - list->source);
        to = in_units(runs.destination - list->destination);
    }
    if (list == nullptr || !fits(from) || !fits(to) || !fits(from + from_end) ||
        !fits(to + to_end)) {
        others_.push_back({.runs_before = runs_.size(),
                           .what = List{.begin = indices_.size(),
                                        .end = indices_.size(),
                                        .source = runs.source,
                                        .destination = runs.destination}});
        list = &std::get<List>(others_.back().what);
        from = to = 0;
    }
    for (std::int64_t run = 0; run < runs.count; ++run, from += from_step, to += to_step) {
        for (std::int64_t unit = 0; unit < length; ++unit) {
            indices_.push_back({.from = static_cast<std::int32_t>(from + unit),
                                .to = static_cast<std::int32_t>(to + unit)});
        }
    }
    list->end = indices_.size();
    return true;
}

void RunTable::copy(const std::byte* source, std::byte* destination) const {
    in_order([&](const ByteRuns& runs) { copy_runs(runs, source, destination); },
             [&](const List& list) {
                 copy_units_(destination + list.destination, source + list.source,
                             indices_of(list));
             },
             [&](const TransposedRuns& transposed) { transposed.copy(source, destination); });
}

void RunTable::stream(const std::byte* source, std::byte* destination) const {
    in_order([&](const ByteRuns& runs) { stream_runs(runs, source, destination); },
             [&](const List& list) {
                 copy_units_(destination + list.destination, source + list.source,
                             indices_of(list));
             },
             [&](const TransposedRuns& transposed) { transposed.stream(source, destination); });
}

void RunTable::combine(const std::byte* source, std::byte* destination, Combine one) const {
    for_each([&](const ByteRuns& runs) { combine_runs(runs, source, destination, one); });
}

std::shared_ptr<const RunTable> runs_of(const route::Leg& leg, std::int64_t unit_bytes,
                                        LengthRange range) {
    const auto outline = leg.segments.outline();
    const auto longest = outline.longest_run * unit_bytes;
    const bool all = outline.shortest_run * unit_bytes >= range.from && longest < range.below;
    auto table = std::make_shared<RunTable>(unit_bytes);
    if (longest < range.from || outline.shortest_run * unit_bytes >= range.below) {
        return table;
    }
    if (all) {
        table->reserve(outline.segments, outline.units);
    }
    for_each_nest(leg, unit_bytes, [&](const auto& runs) {
        if (runs.length >= range.from && runs.length < range.below) {
            table->append(runs);
        }
    });
    table->finish();
    return table;
}

std::shared_ptr<const RunTable> shared_runs_of(const route::Leg& leg, std::int64_t unit_bytes,
                                               LengthRange range) {
    auto& tables = Tables::instance();
    const std::lock_guard lock(tables.mutex);
    tables.forget_unused();
    auto& known = tables.known[{&leg, unit_bytes, range}];
    auto table = known.lock();
    if (!table) {
        table = runs_of(leg, unit_bytes, range);
        known = table;
    }
    return table;
}

}  // namespace transrank::transport
