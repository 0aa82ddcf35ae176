// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "transrank/memory/run_kernels.hpp"
#include "transrank/route/leg.hpp"
#include "transrank/transport/nest.hpp"
#include "transrank/transport/runs.hpp"

namespace transrank::transport {

/// Runs in their order, as bytes from two bases on, ready to be executed again and again. Short
/// ones at irregular distances, of which there may be millions, are a list of 8 bytes for each
/// unit; those of a box whose two sides have different fastest dimensions are kept as its loops;
/// the others are kept as they are.
class RunTable {
public:
    /// Of units of `unit_bytes`.
    explicit RunTable(std::int64_t unit_bytes);

    /// Appends runs; what continues the last one on both sides becomes part of it, so that what is
    /// dense on both sides moves in one piece. All places are multiples of a unit.
    void append(ByteRuns runs);
    /// The same with those of a nest, which are turned where that pays.
    void append(const Nest& nest);
    /// As many segments with as many units are to come.
    void reserve(std::int64_t segments, std::int64_t units);
    /// To be called once, after the last.
    void finish();

    /// The bytes of all runs.
    [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

    void copy(const std::byte* source, std::byte* destination) const;
    /// Past the caches, as stream_runs.
    void stream(const std::byte* source, std::byte* destination) const;
    void combine(const std::byte* source, std::byte* destination, Combine one) const;

    /// Calls `visit` with runs that are the same ones, in the same order but for those of a
    /// transposed nest.
    template <class Visit>
    void for_each(const Visit& visit) const {
        in_order(
            visit,
            [&](const List& list) {
                for (const auto& index : indices_of(list)) {
                    visit(ByteRuns{.source = list.source + (index.from * unit_bytes_),
                                   .destination = list.destination + (index.to * unit_bytes_),
                                   .length = unit_bytes_,
                                   .count = 1,
                                   .source_stride = 0,
                                   .destination_stride = 0});
                }
            },
            [&](const TransposedRuns& transposed) { transposed.for_each(visit); });
    }

private:
    /// Units one by one, at indices from two bases on.
    struct List {
        std::size_t begin;  ///< among the indices
        std::size_t end;
        std::int64_t source;
        std::int64_t destination;
    };

    /// What is not kept as runs, and how many of these come before it.
    struct Other {
        std::size_t runs_before;
        std::variant<List, TransposedRuns> what;
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
                visit_transposed(std::get<TransposedRuns>(other.what));
            }
        }
        for (; run < runs_.size(); ++run) {
            visit_runs(runs_[run]);
        }
    }
    [[nodiscard]] std::span<const memory::UnitIndex> indices_of(const List& list) const {
        return std::span(indices_).subspan(list.begin, list.end - list.begin);
    }

    /// Of a distance, which is a multiple of a unit: without dividing, since there may be millions.
    [[nodiscard]] std::int64_t in_units(std::int64_t bytes) const noexcept {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(bytes >> unit_shift_) *
                                         unit_inverse_);
    }
    void write_last();
    void write(const ByteRuns& runs);
    [[nodiscard]] bool write_units(const ByteRuns& runs);

    std::int64_t unit_bytes_;
    int unit_shift_;               ///< a unit is an odd number times 2 to this
    std::uint64_t unit_inverse_;   ///< of that odd number, modulo 2^64
    memory::UnitCopy copy_units_;  ///< nullptr where units are not listed
    std::int64_t bytes_ = 0;
    std::optional<ByteRuns> last_;
    std::vector<ByteRuns> runs_;
    std::vector<Other> others_;
    std::vector<memory::UnitIndex> indices_;
};

/// Which runs of a leg are meant, by their length in bytes: at least `from`, less than `below`.
struct LengthRange {
    std::int64_t from = 0;
    std::int64_t below = INT64_MAX;
    friend auto operator<=>(const LengthRange&, const LengthRange&) = default;
};

/// The runs of a leg.
[[nodiscard]] std::shared_ptr<const RunTable> runs_of(const route::Leg& leg,
                                                      std::int64_t unit_bytes, LengthRange range);

/// The same, once for all that ask for them while somebody has them; those keep the leg where it
/// is, and as it is.
[[nodiscard]] std::shared_ptr<const RunTable> shared_runs_of(const route::Leg& leg,
                                                             std::int64_t unit_bytes,
                                                             LengthRange range);

}  // namespace transrank::transport
