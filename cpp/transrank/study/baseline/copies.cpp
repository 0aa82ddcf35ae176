// SPDX-License-Identifier: BSD-3-Clause
// Floors: what it costs to write what arrives, from memory of the rank's own. The library of C
// itself goes past the caches from some length of a call on, so the ways differ.
#include <algorithm>
#include <cstring>

#include "transrank/memory/copy_kernels.hpp"
#include "transrank/route/runs.hpp"
#include "transrank/study/baseline/baseline.hpp"
#include "transrank/transport/moves.hpp"

namespace transrank::study::baseline {
namespace {

/// What arrives, as if it lay in this rank's own arrays where it lies in those of its owners.
Task within(Task task) {
    const int rank = task.route.rank();
    route::Leg all{.peer = rank, .segments = {}};
    std::int64_t extent = 0;
    for (const auto& leg : task.route.receives()) {
        for (const auto& segment : leg.segments) {
            all.segments.push_back(segment);
            extent = std::max(extent, segment.source + segment.length +
                                          ((segment.count - 1) * segment.source_stride));
        }
    }
    task.route = {rank,  task.route.ranks(), extent, task.route.destination_extent(),
                  {all}, {std::move(all)}};
    return task;
}

/// As many bytes as the destinations have, from the first of the sources on.
Task whole(Task task) {
    for (auto& field : task.fields) {
        field.source =
            task.fields.front().source + (field.destination - task.fields.front().destination);
    }
    const int rank = task.route.rank();
    const auto units = task.fields.front().destination_bytes / task.unit_bytes();
    const route::Leg leg{.peer = rank, .segments = {{.length = units}}};
    task.route = {rank, task.route.ranks(), units, units, {leg}, {leg}};
    return task;
}

/// By the library's own loops.
class Gathered final : public Mover {
public:
    explicit Gathered(Task given) : Mover(within(std::move(given))) {
        for (const auto& leg : route().receives()) {
            for (const auto& field : task().fields) {
                moves_.push_back(transport::make_move(leg, field, transport::Operation::assign,
                                                      field.source, field.destination));
            }
        }
    }

    void start() override { transport::execute(moves_); }

private:
    std::vector<transport::Move> moves_;
};

struct Piece {
    std::byte* to;
    const std::byte* from;
    std::size_t bytes;
};

class Copied final : public Mover {
public:
    Copied(Task task, Task (*own)(Task), memory::Copy (*copy)(),
           std::vector<Piece> (*pieces)(const Task&))
        : Mover(own(std::move(task))), copy_(copy()), pieces_(pieces(this->task())) {}

    void start() override {
        for (const auto& piece : pieces_) {
            copy_(piece.to, piece.from, piece.bytes);
        }
    }

private:
    memory::Copy copy_;
    std::vector<Piece> pieces_;
};

memory::Copy library_copy() {
    return [](std::byte* to, const std::byte* from, std::size_t bytes) {
        std::memcpy(to, from, bytes);
    };
}

std::vector<Piece> by_field(const Task& task) {
    std::vector<Piece> pieces;
    for (const auto& field : task.fields) {
        pieces.push_back({.to = field.destination,
                          .from = field.source,
                          .bytes = static_cast<std::size_t>(field.destination_bytes)});
    }
    return pieces;
}

std::vector<Piece> at_once(const Task& task) {
    auto pieces = by_field(task);
    for (std::size_t i = 1; i < pieces.size(); ++i) {
        pieces.front().bytes += pieces[i].bytes;
    }
    pieces.resize(1);
    return pieces;
}

std::vector<Piece> by_run(const Task& task) {
    std::vector<Piece> pieces;
    for (const auto& field : task.fields) {
        for (const auto& leg : task.route.receives()) {
            route::for_each_run(
                leg, [&](std::int64_t source, std::int64_t destination, std::int64_t units) {
                    pieces.push_back({.to = field.destination + (destination * field.unit_bytes),
                                      .from = field.source + (source * field.unit_bytes),
                                      .bytes = static_cast<std::size_t>(units * field.unit_bytes)});
                });
        }
    }
    return pieces;
}

}  // namespace

std::vector<Entry> copies() {
    return {{.name = "floor",
             .summary = "a local gather of as many rows: what memory alone costs",
             .own_memory = true,
             .make = made<Gathered>},
            {.name = "memcpy-once",
             .summary = "as many bytes, in one memcpy",
             .own_memory = true,
             .make = made<Copied, whole, library_copy, at_once>},
            {.name = "memcpy-per-field",
             .summary = "as many bytes, in one memcpy per field",
             .own_memory = true,
             .make = made<Copied, whole, library_copy, by_field>},
            {.name = "nontemporal",
             .summary = "as many bytes, in one copy past the caches",
             .own_memory = true,
             .make = made<Copied, whole, memory::nontemporal_copy, at_once>},
            {.name = "memcpy-runs",
             .summary = "the runs that arrive, each by memcpy, from the rank's own memory",
             .own_memory = true,
             .make = made<Copied, within, library_copy, by_run>}};
}

}  // namespace transrank::study::baseline
