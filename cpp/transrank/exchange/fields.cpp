// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/fields.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "transrank/copy/runs.hpp"
#include "transrank/copy/view.hpp"
#include "transrank/exchange/strided_ranges.hpp"
#include "transrank/layout/index_range.hpp"
#include "transrank/layout/require.hpp"

namespace transrank::exchange {
namespace {

using copy::Field;
using copy::Operation;
using layout::require;

std::string name_of(std::size_t index, int rank) {
    return "field " + std::to_string(layout::counted(index)) + " on rank " + std::to_string(rank);
}

/// The source or the destination of a field.
struct Side {
    const char* name;
    bool written;
    const std::byte* memory;
    std::int64_t bytes;
    const copy::View* view;
};

std::array<Side, 2> sides_of(const Field& field) {
    return {{{.name = "source",
              .written = false,
              .memory = field.source,
              .bytes = field.source_bytes,
              .view = field.source_view.get()},
             {.name = "destination",
              .written = true,
              .memory = field.destination,
              .bytes = field.destination_bytes,
              .view = field.destination_view.get()}}};
}

void check_side(const std::string& what, const Side& side, const route::Route& route,
                std::int64_t unit_bytes) {
    const auto extent = side.written ? route.destination_extent() : route.source_extent();
    const auto& shape = side.written ? route.shapes().destination : route.shapes().source;
    if (!shape.empty() && (extent != side.bytes / unit_bytes || side.bytes % unit_bytes != 0)) {
        std::string lengths;
        for (const auto& length : shape) {
            lengths += (&length == &shape.front() ? "" : ", ") + std::to_string(length);
        }
        layout::refuse(what, ": the ", side.name, " has ", side.bytes,
                       " bytes; the rank's array of this grid has shape (", lengths,
                       "), halo included (its local extents), of cells of ", unit_bytes, " bytes");
    }
    require(extent <= side.bytes / unit_bytes, what, ": the ", side.name, " holds ",
            side.bytes / unit_bytes, " rows of ", unit_bytes, " bytes, the route needs ", extent);
    require(side.memory != nullptr || side.bytes <= 0, what, ": the ", side.name, " has ",
            side.bytes, " bytes but no address");
    require(side.view == nullptr || side.view->bytes() == side.bytes, what, ": the ", side.name,
            " has ", side.bytes, " bytes, its view ",
            side.view == nullptr ? 0 : side.view->bytes());
    require(!side.written || side.view == nullptr || side.view->lies_apart(), what,
            ": elements of the destination share memory; give an array whose elements lie apart");
}

// Of an array with a view by the pieces in which it lies.
void append_pieces(std::vector<StridedRange>& ranges, const route::Leg& leg,
                   const StridedRange& unit, const copy::View& view) {
    const auto append = [&](const route::Row& pieces) {
        ranges.push_back({.begin = unit.begin + pieces.source,
                          .length = pieces.length,
                          .count = pieces.count,
                          .stride = pieces.source_stride,
                          .written = unit.written,
                          .owner = unit.owner});
    };
    copy::JoinedPieces pieces(append);
    route::for_each_run(leg,
                        [&](std::int64_t source, std::int64_t destination, std::int64_t length) {
                            const auto begin = (unit.written ? destination : source) * unit.length;
                            pieces.add(&view, begin, nullptr, begin, length * unit.length);
                        });
    pieces.finish();
}

// What the route reads or writes of an array whose first unit is given.
void append_ranges(std::vector<StridedRange>& ranges, const route::Route& route,
                   const StridedRange& unit, const copy::View* view = nullptr) {
    using route::Row;
    const auto begin = unit.written ? &Row::destination : &Row::source;
    const auto stride = unit.written ? &Row::destination_stride : &Row::source_stride;
    for (const auto& leg : unit.written ? route.receives() : route.sends()) {
        if (view != nullptr) {
            append_pieces(ranges, leg, unit, *view);
            continue;
        }
        for (const auto& segment : leg.segments) {
            for_each_row(segment, [&](const Row& row) {
                ranges.push_back({.begin = unit.begin + (row.*begin * unit.length),
                                  .length = row.length * unit.length,
                                  .count = row.count,
                                  .stride = row.*stride * unit.length,
                                  .written = unit.written,
                                  .owner = unit.owner});
            });
        }
    }
}

/// The source or the destination of a field, by addresses.
struct Array {
    StridedRange unit;  ///< its first
    const copy::View* view;
    std::intptr_t begin;
    std::intptr_t end;
};

Array array_of(const Side& side, std::int64_t unit_bytes = 0, int owner = 0) {
    const auto begin = reinterpret_cast<std::intptr_t>(side.memory);
    return {.unit = {.begin = begin,
                     .length = unit_bytes,
                     .count = 1,
                     .stride = 0,
                     .written = side.written,
                     .owner = owner},
            .view = side.view,
            .begin = begin + (side.view == nullptr ? 0 : side.view->begin()),
            .end = begin + (side.view == nullptr ? side.bytes : side.view->end())};
}

// Ascending, without empty ones.
std::vector<Array> arrays_of(std::span<const Field> fields) {
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        for (const auto& side : sides_of(fields[i])) {
            if (side.bytes > 0) {
                arrays.push_back(array_of(side, fields[i].unit_bytes, static_cast<int>(i)));
            }
        }
    }
    std::ranges::sort(arrays, {}, &Array::begin);
    return arrays;
}

std::optional<Clash> find_clash(const route::Route& route, std::span<const Array> arrays) {
    std::vector<StridedRange> ranges;
    if (arrays.size() > 1 && std::ranges::any_of(arrays, &StridedRange::written, &Array::unit)) {
        for (const auto& array : arrays) {
            append_ranges(ranges, route, array.unit, array.view);
        }
    }
    return find_clash(std::move(ranges));
}

[[noreturn]] void refuse(const Clash& clash, int rank) {
    const auto writer = name_of(static_cast<std::size_t>(clash.writer), rank);
    require(clash.writer != clash.other, writer,
            ": the route writes rows of its memory that it also reads; give source and destination "
            "memory of their own");
    layout::refuse(
        writer, ": the route writes rows of its destination where it ",
        clash.other_writes ? "also writes the destination" : "reads the source", " of field ",
        layout::counted(clash.other),
        "; the fields of one exchange move in any order, so give each memory of its own or bind "
        "an exchange for each");
}

// Only arrays that overlap, directly or through others, are looked at row by row.
void check_apart(const route::Route& route, std::span<const Field> fields) {
    const auto arrays = arrays_of(fields);
    for (auto first = arrays.begin(); first != arrays.end();) {
        auto end = first->end;
        auto last = std::next(first);
        while (last != arrays.end() && last->begin < end) {
            end = std::max(end, last->end);
            ++last;
        }
        if (const auto clash = find_clash(route, {first, last})) {
            refuse(*clash, route.rank());
        }
        first = last;
    }
}

bool same(const std::shared_ptr<const copy::View>& one,
          const std::shared_ptr<const copy::View>& other) {
    return one == other || (one && other && *one == *other);
}

// The rule: nothing is written twice.
bool ascend_apart(std::span<const route::Leg> receives) {
    std::vector<layout::IndexRange> hulls;
    for (const auto& leg : receives) {
        const auto outline = leg.segments.outline();
        if (outline.descents > 0) {
            return false;
        }
        hulls.push_back(
            {.begin = leg.segments.front().destination, .end = outline.destination_end});
    }
    return !layout::some_meet(std::move(hulls));
}

}  // namespace

std::vector<int> sources_of(const route::Route& route) {
    std::vector<int> ranks;
    std::ranges::transform(route.receives(), std::back_inserter(ranks), &route::Leg::peer);
    return ranks;
}

bool needs_order(const route::Route& route, Operation operation) {
    if (operation != Operation::assign) {
        return true;
    }
    if (ascend_apart(route.receives())) {
        return false;
    }
    std::vector<StridedRange> ranges;
    append_ranges(ranges, route,
                  {.begin = 0, .length = 1, .count = 1, .stride = 0, .written = true});
    return is_written_twice(std::move(ranges));
}

void check_fields(const route::Route& route, const mpi::Communicator& comm,
                  std::span<const Field> fields, Operation operation) {
    require(route.ranks() != 0, "the route on rank ", comm.rank(),
            " was moved from; make another one");
    require(route.ranks() == comm.size() && route.rank() == comm.rank(), "a route made for rank ",
            route.rank(), " of ", route.ranks(), " is bound on rank ", comm.rank(), " of ",
            comm.size(), "; make it for this communicator");
    require(!fields.empty(), "no field given on rank ", comm.rank());
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto& field = fields[i];
        const auto what = name_of(i, comm.rank());
        const auto scalar_bytes = copy::kind_of(field.scalar).bytes;
        require(field.unit_bytes > 0, what, ": unit_bytes is ", field.unit_bytes,
                "; give the bytes of a row, or of a cell of a grid, at least 1");
        require(field.unit_bytes % scalar_bytes == 0, what, ": rows of ", field.unit_bytes,
                " bytes do not consist of scalars of ", scalar_bytes, " bytes");
        for (const auto& side : sides_of(field)) {
            check_side(what, side, route, field.unit_bytes);
        }
        (void)copy::combine_kernel(operation, field.scalar);
    }
    check_apart(route, fields);
}

bool are_alike(std::span<const Field> fields, std::span<const Field> other) {
    return std::ranges::equal(fields, other, [](const Field& one, const Field& two) {
        return one.unit_bytes == two.unit_bytes && one.scalar == two.scalar &&
               one.source_bytes == two.source_bytes &&
               one.destination_bytes == two.destination_bytes &&
               same(one.source_view, two.source_view) &&
               same(one.destination_view, two.destination_view);
    });
}

void check_like(std::span<const Field> fields, std::span<const Field> other, int rank) {
    require(are_alike(fields, other), "the arrays given on rank ", rank,
            " in place of those that are bound differ from them in number, type, length or view");
}

// Arrays that overlap as they did where they were bound have been looked at then.
void check_arrays(const route::Route& route, std::span<const Field> fields,
                  std::span<const copy::Memory> bound) {
    struct Moved {
        Array array;
        std::intptr_t by;
    };
    std::vector<Moved> all;
    all.reserve(2 * fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
        for (const auto& side : sides_of(fields[i])) {
            require(side.memory != nullptr || side.bytes == 0, "an array given to start on rank ",
                    route.rank(), " has no address");
            const auto* was = side.written ? bound[i].destination : bound[i].source;
            const auto array = array_of(side);
            all.push_back(
                {.array = array, .by = array.unit.begin - reinterpret_cast<std::intptr_t>(was)});
        }
    }
    for (auto one = all.begin(); one != all.end(); ++one) {
        for (auto other = all.begin(); other != one; ++other) {
            const bool may_clash = one->array.unit.written || other->array.unit.written;
            if (may_clash && one->by != other->by && one->array.begin < other->array.end &&
                other->array.begin < one->array.end) {
                check_apart(route, fields);
                return;
            }
        }
    }
}

}  // namespace transrank::exchange
