// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "transrank/copy/run_kernels.hpp"
#include "transrank/copy/runs.hpp"
#include "transrank/copy/transposed_runs.hpp"
#include "transrank/copy/view.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::copy {

/// Runs in their order, from two bases on, ready to be executed again and again. Short ones at
/// irregular distances, of which there may be millions, are a list of 8 bytes for each unit; those
/// of a box whose two sides have different fastest dimensions are kept as its loops; the others are
/// kept as they are.
class RunTable {
public:
    class Portions;  ///< what dense_runs_of makes

    /// Of units of `unit_bytes`. What is appended is laid out densely on the side `dense`, one
    /// after the other from 0 on.
    explicit RunTable(std::int64_t unit_bytes, std::optional<route::End> dense = {});

    /// Appends the runs of a segment, turned where that pays; what continues the last one on both
    /// sides becomes part of it, so that what is dense on both sides moves in one piece.
    void append(const route::Segment& segment);
    void append(const route::Segments& segments);
    void append(const route::Row& runs);
    /// As many segments with as many units are to come.
    void reserve(std::int64_t segments, std::int64_t units);
    /// To be called once, after the last.
    void finish();

    /// The bytes of all runs.
    [[nodiscard]] std::int64_t bytes() const noexcept { return units_ * unit_bytes_; }

    void copy(const std::byte* source, std::byte* destination) const;
    /// Past the caches, as stream_runs.
    void stream(const std::byte* source, std::byte* destination) const;
    void combine(const std::byte* source, std::byte* destination, Combine one) const;

    /// Calls `visit` with runs that are the same ones, in the same order but for those that
    /// are turned.
    template <class Visit>
    void for_each(const Visit& visit) const {
        in_order(
            visit,
            [&](const List& list) {
                for (const auto& index : indices_of(list)) {
                    visit(in_bytes(route::Row{.source = list.source + index.from,
                                              .destination = list.destination + index.to,
                                              .length = 1},
                                   unit_bytes_));
                }
            },
            [&](const TransposedRuns& transposed) { transposed.for_each(visit); });
    }

private:
    /// Units one by one, each at distances from two units.
    struct List {
        std::size_t begin;  ///< among the indices
        std::size_t end;
        std::int64_t source;  ///< in units
        std::int64_t destination;
    };

    /// Which of the transposed runs: these are large, and entries may be many.
    struct Transposed {
        std::size_t number;
    };

    /// What is not kept as runs, and how many of these come before it.
    struct Other {
        std::size_t runs_before;
        std::variant<List, Transposed> what;
    };

    template <class VisitRuns, class VisitList, class VisitTransposed>
    void in_order(const VisitRuns& visit_runs, const VisitList& visit_list,
                  const VisitTransposed& visit_transposed) const {
        std::size_t run = 0;
        for (const auto& other : others_) {
            for (; run < other.runs_before; ++run) {
                visit_runs(runs_[run]);
            }
            if (const auto* list = std::get_if<List>(&other.what)) {
                visit_list(*list);
            } else {
                visit_transposed(transposed_[std::get<Transposed>(other.what).number]);
            }
        }
        for (; run < runs_.size(); ++run) {
            visit_runs(runs_[run]);
        }
    }
    [[nodiscard]] std::span<const UnitIndex> indices_of(const List& list) const {
        return {indices_.get() + list.begin, list.end - list.begin};
    }
    void copy_list(const List& list, const std::byte* source, std::byte* destination) const {
        copy_units_(destination + (list.destination * unit_bytes_),
                    source + (list.source * unit_bytes_), indices_of(list));
    }
    void add(route::Row runs);
    [[nodiscard]] bool list(const route::Row& runs);
    void end_list();
    void make_room(std::size_t units);

    std::int64_t unit_bytes_;
    UnitCopy copy_units_;  ///< nullptr where units are not listed
    std::optional<route::End> dense_;
    std::int64_t units_ = 0;
    static constexpr auto nowhere = std::numeric_limits<std::int64_t>::min();
    /// The last run, if it may still grow. Views have places before 0.
    struct {
        std::int64_t source_end = nowhere;
        std::int64_t destination_end = nowhere;
        std::int64_t length = 0;
    } last_;
    std::vector<ByteRuns> runs_;
    std::vector<Other> others_;
    std::vector<TransposedRuns> transposed_;
    List list_{};  ///< may still grow, if there are units in it
    std::unique_ptr<UnitIndex[]> indices_;
    std::size_t listed_ = 0;
    std::size_t room_ = 0;  ///< for so many indices
};

/// Which runs of a leg are meant, by their length in bytes: at least `from`, less than `below`.
struct LengthRange {
    std::int64_t from = 0;
    std::int64_t below = INT64_MAX;

    [[nodiscard]] bool contains(std::int64_t bytes) const noexcept {
        return bytes >= from && bytes < below;
    }
    friend auto operator<=>(const LengthRange&, const LengthRange&) = default;
};

/// The runs of a leg.
[[nodiscard]] std::shared_ptr<const RunTable> runs_of(const route::Leg& leg,
                                                      std::int64_t unit_bytes, LengthRange range);

/// The same between arrays that may have views.
[[nodiscard]] std::shared_ptr<const RunTable> runs_between(const View* source,
                                                           const View* destination,
                                                           const route::Leg& leg,
                                                           std::int64_t unit_bytes);

/// The runs of a leg in portions (Cutter), at least one, each of which is laid out densely on one
/// side, run after run, from 0 on; the other side may have a view.
[[nodiscard]] std::vector<std::shared_ptr<const RunTable>> dense_runs_of(
    route::End dense, const View* other, const route::Leg& leg, std::int64_t unit_bytes,
    std::int64_t portion_units);

/// The runs of a leg, once for all that ask for them while somebody has them; those keep the leg
/// where it is, and as it is. Not shared where there is a view.
[[nodiscard]] std::shared_ptr<const RunTable> shared_runs_of(const route::Leg& leg,
                                                             std::int64_t unit_bytes,
                                                             LengthRange range,
                                                             const View* source = nullptr,
                                                             const View* destination = nullptr);

}  // namespace transrank::copy
