// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/run_table.hpp"

#include <limits>
#include <map>
#include <mutex>
#include <tuple>

namespace transrank::transport {
namespace {

// Of a longer row of runs the strides are kept, or it is one run.
constexpr std::int64_t most_units_listed = 4;

bool fits(std::int64_t offset) {
    return offset >= std::numeric_limits<std::int32_t>::min() &&
           offset <= std::numeric_limits<std::int32_t>::max();
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
    : unit_bytes_(unit_bytes), copy_units_(memory::unit_copy(unit_bytes)) {}

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
    if (last_) {
        write(*last_);
    }
    last_ = runs;
}

void RunTable::finish() {
    if (last_) {
        write(*last_);
        last_.reset();
    }
    runs_.shrink_to_fit();
    lists_.shrink_to_fit();
    indices_.shrink_to_fit();
}

void RunTable::write(const ByteRuns& runs) {
    if (copy_units_ == nullptr || runs.length * runs.count > most_units_listed * unit_bytes_) {
        runs_.push_back(runs);
        return;
    }
    for (std::int64_t run = 0; run < runs.count; ++run) {
        for (std::int64_t at = 0; at < runs.length; at += unit_bytes_) {
            write_unit(runs.source + (run * runs.source_stride) + at,
                       runs.destination + (run * runs.destination_stride) + at);
        }
    }
}

void RunTable::write_unit(std::int64_t source, std::int64_t destination) {
    std::int64_t from = 0;
    std::int64_t to = 0;
    if (!lists_.empty()) {
        from = (source - lists_.back().source) / unit_bytes_;
        to = (destination - lists_.back().destination) / unit_bytes_;
    }
    if (lists_.empty() || lists_.back().runs_before != runs_.size() || !fits(from) || !fits(to)) {
        lists_.push_back({.runs_before = runs_.size(),
                          .begin = indices_.size(),
                          .end = indices_.size(),
                          .source = source,
                          .destination = destination});
        from = to = 0;
    }
    indices_.push_back(
        {.from = static_cast<std::int32_t>(from), .to = static_cast<std::int32_t>(to)});
    ++lists_.back().end;
}

void RunTable::copy(const std::byte* source, std::byte* destination) const {
    in_order([&](const ByteRuns& runs) { copy_runs(runs, source, destination); },
             [&](const List& list) {
                 copy_units_(destination + list.destination, source + list.source,
                             indices_of(list));
             });
}

void RunTable::stream(const std::byte* source, std::byte* destination) const {
    for_each([&](const ByteRuns& runs) { stream_runs(runs, source, destination); });
}

void RunTable::combine(const std::byte* source, std::byte* destination, Combine one) const {
    for_each([&](const ByteRuns& runs) { combine_runs(runs, source, destination, one); });
}

std::shared_ptr<const RunTable> runs_of(const route::Leg& leg, std::int64_t unit_bytes,
                                        LengthRange range) {
    auto table = std::make_shared<RunTable>(unit_bytes);
    for (const auto& segment : leg.segments) {
        const auto runs = in_bytes(segment, unit_bytes);
        if (runs.length >= range.from && runs.length < range.below) {
            table->append(runs);
        }
    }
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
