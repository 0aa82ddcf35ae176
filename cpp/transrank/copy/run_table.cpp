// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/run_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include "transrank/copy/portions.hpp"

namespace transrank::copy {
namespace {

// Of a longer row of runs the strides are kept, or it is one run.
constexpr std::int64_t most_units_listed = 4;
// Of memory for indices: to give back less costs more than it gains.
constexpr std::size_t least_share_given_back = 8;

// Whether 32 bits count the sum of any two of these distances.
template <class... Distances>
bool are_near(Distances... distances) {
    constexpr std::uint64_t farthest = std::uint64_t{1} << 30U;
    return ((static_cast<std::uint64_t>(distances) + farthest) | ...) < 2 * farthest;
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

// One side of runs made dense, one after the other, from `offset` on.
template <class Runs>
void make_dense(Runs& runs, route::End side, std::int64_t offset) {
    const bool source = side == route::End::source;
    (source ? runs.source : runs.destination) = offset;
    (source ? runs.source_stride : runs.destination_stride) = runs.length;
    if constexpr (requires { runs.further; }) {
        auto units = runs.length * runs.count;
        for (auto& loop : runs.further) {
            (source ? loop.source_stride : loop.destination_stride) = units;
            units *= loop.count;
        }
    }
}

// The runs of a leg by bytes; one side may be laid out densely.
std::shared_ptr<const RunTable> by_pieces(const View* source, const View* destination,
                                          const route::Leg& leg, std::int64_t unit_bytes,
                                          std::optional<route::End> dense) {
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
    std::int64_t offset = 0;
    route::for_each_run(leg, [&](std::int64_t from, std::int64_t to, std::int64_t length) {
        from = dense == route::End::source ? offset : from;
        to = dense == route::End::destination ? offset : to;
        offset += length;
        pieces.add(source, from * unit_bytes, destination, to * unit_bytes, length * unit_bytes);
    });
    pieces.finish();
    table->finish();
    return table;
}

}  // namespace

RunTable::RunTable(std::int64_t unit_bytes, std::optional<route::End> dense)
    : unit_bytes_(unit_bytes), copy_units_(unit_copy(unit_bytes)), dense_(dense) {}

void RunTable::reserve(std::int64_t segments, std::int64_t units) {
    if (copy_units_ != nullptr) {
        make_room(static_cast<std::size_t>(std::min(units, most_units_listed * segments) +
                                           (2 * most_units_listed)));
    }
}

void RunTable::append(const route::Segments& segments) {
    segments.visit([&](const route::Row& row) { add(row); },
                   [&](const route::Segment& nest) { append(nest); });
}

void RunTable::append(const route::Segment& nest) {
    auto segment = nest;
    if (dense_) {
        make_dense(segment, *dense_, units_);
    }
    const auto planes = segment.further.empty() ? std::nullopt : planes_of(segment);
    if (planes && pays_to_turn(*planes, segment.length * unit_bytes_)) {
        end_list();
        last_ = {};
        others_.push_back(
            {.runs_before = runs_.size(), .what = Transposed{.number = transposed_.size()}});
        transposed_.emplace_back(segment, *planes, unit_bytes_);
        units_ += segment.units();
    } else {
        for_each_row(segment, [&](const route::Row& row) { append(row); });
    }
}

void RunTable::append(const route::Row& runs) {
    add(runs);
}

[[gnu::always_inline]] inline void RunTable::add(route::Row runs) {
    if (dense_) {
        make_dense(runs, *dense_, units_);
    }
    const auto units = runs.units();
    units_ += units;
    if (runs.source_stride == runs.length && runs.destination_stride == runs.length) {
        runs.count = 1;
        runs.length = units;
    }
    if (runs.count == 1 && runs.source == last_.source_end &&
        runs.destination == last_.destination_end) {
        if (list_.begin == listed_) {
            runs_.back().length += units * unit_bytes_;
            last_.source_end += units;
            last_.destination_end += units;
            return;
        }
        listed_ -= static_cast<std::size_t>(last_.length);
        runs.source -= last_.length;
        runs.destination -= last_.length;
        runs.length += last_.length;
    }
    last_ = {.source_end = runs.count == 1 ? runs.source + runs.length : nowhere,
             .destination_end = runs.destination + runs.length,
             .length = runs.length};
    if (!list(runs)) {
        end_list();
        runs_.push_back(in_bytes(runs, unit_bytes_));
    }
}

/// Returns false where the units are too many, or too far apart. As many indices as there may be
/// are written each time, which no branch can mistake.
[[gnu::always_inline]] inline bool RunTable::list(const route::Row& runs) {
    if (copy_units_ == nullptr || runs.units() > most_units_listed) {
        return false;
    }
    const auto is_near = [&] {
        return are_near(runs.source - list_.source,
                        ((runs.count - 1) * runs.source_stride) + runs.length,
                        runs.destination - list_.destination,
                        ((runs.count - 1) * runs.destination_stride) + runs.length);
    };
    if (list_.begin == listed_ || !is_near()) {
        end_list();
        list_.source = runs.source;
        list_.destination = runs.destination;
        if (!is_near()) {
            return false;
        }
    }
    constexpr auto most_written = static_cast<std::size_t>(2 * most_units_listed);
    if (room_ - listed_ < most_written) {
        make_room((2 * room_) + most_written);
    }
    auto* next = indices_.get() + listed_;
    const auto add = [&](std::int64_t source, std::int64_t destination, std::int64_t from_step,
                         std::int64_t to_step) {
        auto from = static_cast<std::uint32_t>(source - list_.source);
        auto to = static_cast<std::uint32_t>(destination - list_.destination);
        for (std::int64_t i = 0; i < most_units_listed; ++i) {
            next[i] = {.from = static_cast<std::int32_t>(from),
                       .to = static_cast<std::int32_t>(to)};
            from += static_cast<std::uint32_t>(from_step);
            to += static_cast<std::uint32_t>(to_step);
        }
    };
    if (runs.length == 1) {
        add(runs.source, runs.destination, runs.source_stride, runs.destination_stride);
    } else {
        for (std::int64_t run = 0; run < runs.count; ++run) {
            add(runs.source + (run * runs.source_stride),
                runs.destination + (run * runs.destination_stride), 1, 1);
            next += runs.length;
        }
    }
    listed_ += static_cast<std::size_t>(runs.units());
    return true;
}

void RunTable::end_list() {
    list_.end = listed_;
    if (list_.begin < list_.end) {
        others_.push_back({.runs_before = runs_.size(), .what = list_});
    }
    list_.begin = listed_;
}

void RunTable::make_room(std::size_t units) {
    auto larger = std::make_unique_for_overwrite<UnitIndex[]>(units);
    std::copy_n(indices_.get(), listed_, larger.get());
    indices_ = std::move(larger);
    room_ = units;
}

void RunTable::finish() {
    end_list();
    runs_.shrink_to_fit();
    others_.shrink_to_fit();
    transposed_.shrink_to_fit();
    if (room_ - listed_ > room_ / least_share_given_back) {
        make_room(listed_);
    }
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
        table->append(leg.segments);
    } else {
        for (const auto& segment : leg.segments) {
            if (range.contains(segment.length * unit_bytes)) {
                table->append(segment);
            }
        }
    }
    table->finish();
    return table;
}

std::shared_ptr<const RunTable> runs_between(const View* source, const View* destination,
                                             const route::Leg& leg, std::int64_t unit_bytes) {
    return source == nullptr && destination == nullptr
               ? runs_of(leg, unit_bytes, {})
               : by_pieces(source, destination, leg, unit_bytes, {});
}

/// Tables of the portions of a leg. Of one with a view the segments are kept first.
class RunTable::Portions final : public Cutter {
public:
    Portions(route::End dense, const View* other, const route::Leg& leg, std::int64_t unit_bytes,
             std::int64_t portion_units)
        : Cutter(portion_units), dense_(dense), other_(other), unit_bytes_(unit_bytes) {
        begin_portion();
        leg.segments.visit(
            [&](const route::Row& row) {
                if (other == nullptr && takes(row.units())) {
                    table_->add(row);
                } else {
                    add(segment_of(row));
                }
            },
            [&](const route::Segment& nest) { add(nest); });
        end_portion();
    }
    [[nodiscard]] auto tables() && { return std::move(tables_); }

private:
    void begin_portion() override {
        if (table_) {
            end_portion();
        }
        table_ = std::make_shared<RunTable>(unit_bytes_, dense_);
        kept_ = {};
    }
    void write(const route::Segment& segment) override {
        if (other_ != nullptr) {
            kept_.segments.push_back(segment);
        } else {
            table_->append(segment);
        }
    }
    void end_portion() {
        const bool packs = dense_ == route::End::destination;
        table_->finish();
        tables_.push_back(other_ == nullptr
                              ? std::move(table_)
                              : by_pieces(packs ? other_ : nullptr, packs ? nullptr : other_, kept_,
                                          unit_bytes_, dense_));
    }

    route::End dense_;
    const View* other_;
    std::int64_t unit_bytes_;
    std::shared_ptr<RunTable> table_;
    route::Leg kept_;
    std::vector<std::shared_ptr<const RunTable>> tables_;
};

std::vector<std::shared_ptr<const RunTable>> dense_runs_of(route::End dense, const View* other,
                                                           const route::Leg& leg,
                                                           std::int64_t unit_bytes,
                                                           std::int64_t portion_units) {
    return RunTable::Portions(dense, other, leg, unit_bytes, portion_units).tables();
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
