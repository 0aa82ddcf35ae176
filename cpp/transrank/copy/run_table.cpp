// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/run_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <tuple>

namespace transrank::copy {
namespace {

// Of a longer row of runs the strides are kept, or it is one run.
constexpr std::int64_t most_units_listed = 4;
// Of memory for indices: to give back less costs more than it gains.
constexpr std::size_t least_share_given_back = 8;

// Whether 32 bits count a distance and one that is greater, or less, by `extent`.
bool fits(std::int64_t distance, std::int64_t extent) {
    constexpr std::int64_t half = std::numeric_limits<std::int32_t>::max() / 2;
    return std::abs(distance) <= half && std::abs(extent) <= half;
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

// One side of a segment made dense, run after run, from `offset` on; returns its units.
std::int64_t make_dense(route::Segment& segment, route::End side, std::int64_t offset) {
    const bool source = side == route::End::source;
    (source ? segment.source : segment.destination) = offset;
    (source ? segment.source_stride : segment.destination_stride) = segment.length;
    auto units = segment.length * segment.count;
    for (auto& loop : segment.further) {
        (source ? loop.source_stride : loop.destination_stride) = units;
        units *= loop.count;
    }
    return units;
}

// The runs of a leg by bytes; `positions` tells from and to which unit each of them goes.
template <class Positions>
std::shared_ptr<const RunTable> by_pieces(const View* source, const View* destination,
                                          const route::Leg& leg, std::int64_t unit_bytes,
                                          const Positions& positions) {
    auto grain = unit_bytes;
    for (const auto* view : {source, destination}) {
        grain = view == nullptr ? grain : std::gcd(grain, view->grain());
    }
    auto table = std::make_shared<RunTable>(grain);
    const auto append = [&](const route::Row& bytes) {
        table->append(route::Row{.source = bytes.source / grain,
                                 .destination = bytes.destination / grain,
                                 .length = bytes.length / grain,
                                 .count = bytes.count,
                                 .source_stride = bytes.source_stride / grain,
                                 .destination_stride = bytes.destination_stride / grain});
    };
    JoinedPieces pieces(append);
    route::for_each_run(leg, [&](std::int64_t from, std::int64_t to, std::int64_t length) {
        positions(from, to, length);
        pieces.add(source, from * unit_bytes, destination, to * unit_bytes, length * unit_bytes);
    });
    pieces.finish();
    table->finish();
    return table;
}

}  // namespace

RunTable::RunTable(std::int64_t unit_bytes)
    : unit_bytes_(unit_bytes), copy_units_(unit_copy(unit_bytes)) {}

void RunTable::reserve(std::int64_t segments, std::int64_t units) {
    if (copy_units_ != nullptr) {
        indices_.reserve(static_cast<std::size_t>(std::min(units, most_units_listed * segments)));
    }
}

void RunTable::append(const route::Segment& segment) {
    const auto planes = segment.further.empty() ? std::nullopt : planes_of(segment);
    if (planes && pays_to_turn(*planes, segment.length * unit_bytes_)) {
        write_last();
        others_.push_back(
            {.runs_before = runs_.size(), .what = Transposed{.number = transposed_.size()}});
        transposed_.emplace_back(segment, *planes, unit_bytes_);
        bytes_ += segment.units() * unit_bytes_;
    } else {
        for_each_row(segment, [&](const route::Row& row) { append(row); });
    }
}

void RunTable::append(const route::Row& runs) {
    if (runs.count > 1 && runs.source_stride == runs.length &&
        runs.destination_stride == runs.length) {
        append(route::Row{
            .source = runs.source, .destination = runs.destination, .length = runs.units()});
        return;
    }
    bytes_ += runs.units() * unit_bytes_;
    if (last_.count == 1 && runs.count == 1 && runs.source == last_.source + last_.length &&
        runs.destination == last_.destination + last_.length) {
        last_.length += runs.length;
        return;
    }
    write_last();
    last_ = runs;
}

void RunTable::finish() {
    write_last();
    runs_.shrink_to_fit();
    others_.shrink_to_fit();
    transposed_.shrink_to_fit();
    if (indices_.capacity() - indices_.size() >= indices_.capacity() / least_share_given_back) {
        indices_.shrink_to_fit();
    }
}

void RunTable::write_last() {
    if (last_.length == 0) {
        return;
    }
    if (copy_units_ == nullptr || last_.units() > most_units_listed || !write_units(last_)) {
        runs_.push_back(in_bytes(last_, unit_bytes_));
    }
    last_ = {};
}

/// Returns false where the units are too far apart.
bool RunTable::write_units(const route::Row& runs) {
    const auto from_end = ((runs.count - 1) * runs.source_stride) + runs.length;
    const auto to_end = ((runs.count - 1) * runs.destination_stride) + runs.length;
    auto* list = others_.empty() || others_.back().runs_before != runs_.size()
                     ? nullptr
                     : std::get_if<List>(&others_.back().what);
    const auto reaches = [&](const List& from_here) {
        return fits(runs.source - from_here.source, from_end) &&
               fits(runs.destination - from_here.destination, to_end);
    };
    if (list == nullptr || !reaches(*list)) {
        const List next{.begin = indices_.size(),
                        .end = indices_.size(),
                        .source = runs.source,
                        .destination = runs.destination};
        if (!reaches(next)) {
            return false;
        }
        others_.push_back({.runs_before = runs_.size(), .what = next});
        list = &std::get<List>(others_.back().what);
    }
    auto from = runs.source - list->source;
    auto to = runs.destination - list->destination;
    for (std::int64_t run = 0; run < runs.count;
         ++run, from += runs.source_stride, to += runs.destination_stride) {
        for (std::int64_t unit = 0; unit < runs.length; ++unit) {
            indices_.push_back({.from = static_cast<std::int32_t>(from + unit),
                                .to = static_cast<std::int32_t>(to + unit)});
        }
    }
    list->end = indices_.size();
    return true;
}

void RunTable::copy(const std::byte* source, std::byte* destination) const {
    in_order([&](const ByteRuns& runs) { copy_runs(runs, source, destination); },
             [&](const List& list) { copy_list(list, source, destination); },
             [&](const TransposedRuns& transposed) { transposed.copy(source, destination); });
}

void RunTable::stream(const std::byte* source, std::byte* destination) const {
    in_order([&](const ByteRuns& runs) { stream_runs(runs, source, destination); },
             [&](const List& list) { copy_list(list, source, destination); },
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
    for (const auto& segment : leg.segments) {
        if (all || range.contains(segment.length * unit_bytes)) {
            table->append(segment);
        }
    }
    table->finish();
    return table;
}

std::shared_ptr<const RunTable> runs_between(const View* source, const View* destination,
                                             const route::Leg& leg, std::int64_t unit_bytes) {
    return source == nullptr && destination == nullptr
               ? runs_of(leg, unit_bytes, {})
               : by_pieces(source, destination, leg, unit_bytes, [](auto&...) {});
}

std::shared_ptr<const RunTable> dense_runs_of(route::End dense, const View* other,
                                              const route::Leg& leg, std::int64_t unit_bytes) {
    std::int64_t offset = 0;
    if (other != nullptr) {
        const bool packs = dense == route::End::destination;
        return by_pieces(packs ? other : nullptr, packs ? nullptr : other, leg, unit_bytes,
                         [&](std::int64_t& from, std::int64_t& to, std::int64_t length) {
                             (packs ? to : from) = offset;
                             offset += length;
                         });
    }
    auto table = std::make_shared<RunTable>(unit_bytes);
    for (auto segment : leg.segments) {
        offset += make_dense(segment, dense, offset);
        table->append(segment);
    }
    table->finish();
    return table;
}

std::shared_ptr<const RunTable> shared_runs_of(const route::Leg& leg, std::int64_t unit_bytes,
                                               LengthRange range, const View* source,
                                               const View* destination) {
    if (source != nullptr || destination != nullptr) {
        return runs_between(source, destination, leg, unit_bytes);
    }
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

}  // namespace transrank::copy
